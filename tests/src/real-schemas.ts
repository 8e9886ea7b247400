import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { loadOpenApi } from '@callgate/adapter-http'
import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway } from '@callgate/core'
import type { JsonSchema } from '@callgate/spec'

import * as programs from './mcp/server-programs.ts'
import { documentSources, findDocument, readDocument } from './openapi/documents.ts'
import { everythingOverStdio } from './vectors/everything-server.ts'

export interface RealSchema {
  readonly name: string
  readonly schema: JsonSchema
}

const servers = [
  programs.filesystem,
  programs.memory,
  programs.thinking,
  programs.playwright,
  programs.git,
  programs.eslint,
].filter((program) => programs.missing(program) === undefined)

/** The schemas of the tools of real MCP servers, asked from the servers. */
export async function schemasOfServers(): Promise<readonly RealSchema[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'callgate-schemas-'))
  const started = Object.fromEntries(servers.map(({ name, setUp }) => [name, setUp(folder)]))
  const adapter = mcpAdapter({
    servers: { ...started, everything: everythingOverStdio },
    startWaitMs: 60_000,
  })
  const gateway = createGateway({ adapters: [adapter] })
  try {
    await gateway.start()
    const tools = gateway.registry.list()
    return tools.map(({ name, parameters }) => ({ name, schema: parameters as JsonSchema }))
  } finally {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The schemas of the operations of the real documents that are there. */
export async function schemasOfDocuments(): Promise<readonly RealSchema[]> {
  const found: RealSchema[] = []
  for (const source of documentSources) {
    const document = await findDocument(source)
    if (document.missing !== undefined) continue
    const options = {
      name: source.name.replaceAll(/\W/g, '_').slice(0, 32),
      server: 'https://api.example.com',
    }
    const { tools } = loadOpenApi(await readDocument(document.path), options)
    found.push(
      ...tools.map(({ name, parameters }) => ({
        name: `${source.name} ${name}`,
        schema: parameters as JsonSchema,
      })),
    )
  }
  return found
}
