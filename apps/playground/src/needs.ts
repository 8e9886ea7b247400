import { loadOpenApi, readDocument } from '@callgate/adapter-http'
import { CallgateError } from '@callgate/spec'

import type { PlaygroundConfig } from './config-schema.ts'
import type { LocatedValue, Refusal } from './yaml-file.ts'

/** A secret that a configuration names, and where it does. */
interface NamedSecret {
  readonly name: string
  readonly pointer: string
}

/** Whether a document is fetched, and no file. */
export function isAddress(document: string): boolean {
  return /^https?:\/\//i.test(document)
}

/**
 * Looks whether the secrets of the MCP servers are set and the OpenAPI files are there and can be used, so that nobody
 * waits for servers that the run has no use for. `pathOf` gives the whole path of a document.
 *
 * @throws what `refusal` makes of the first that is missing or broken, with its line.
 */
export async function checkNeeds(
  { mcp_servers: servers = {}, openapi = {} }: PlaygroundConfig,
  { locate }: LocatedValue,
  pathOf: (document: string) => string,
  refusal: Refusal,
): Promise<void> {
  for (const { name, pointer } of secretsIn(servers, '/mcp_servers')) {
    if (process.env[name] !== undefined) continue
    throw refusal(locate(pointer), `${pointer} needs the secret ${name}`, `Set ${name}.`)
  }
  for (const [name, { document, server }] of Object.entries(openapi)) {
    if (isAddress(document)) continue
    // oxlint-disable-next-line no-await-in-loop -- the first that is broken is told of
    const fault = await faultOf(pathOf(document), { name, ...(server && { server }) })
    if (fault === undefined) continue
    const field = fault.rule === 'server-url' ? 'server' : 'document'
    const why = fault.message.replace(/\.$/, '')
    throw refusal(locate(`/openapi/${name}/${field}`), why, fault.hint)
  }
}

/** Why a document gives no tools; undefined where it does. */
async function faultOf(
  path: string,
  options: Parameters<typeof loadOpenApi>[1],
): Promise<CallgateError | undefined> {
  try {
    loadOpenApi((await readDocument(path, false)).root, options)
    return undefined
  } catch (error) {
    if (CallgateError.isInstance(error)) return error
    throw error
  }
}

function secretsIn(value: unknown, pointer: string): readonly NamedSecret[] {
  if (typeof value === 'string') {
    return [...value.matchAll(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => ({
      name,
      pointer,
    }))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    secretsIn(part, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}
