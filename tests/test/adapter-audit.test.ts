import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cliAdapter } from '@callgate/adapter-cli'
import { fileAdapter } from '@callgate/adapter-file'
import { httpAdapter } from '@callgate/adapter-http'
import { createGateway } from '@callgate/core'
import type { ToolDefinition } from '@callgate/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const secret = 'a-long-secret/value+1'
/** The forms in which a program or a server may give it back. */
const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]
const text = { type: 'string' }

const program: ToolDefinition = {
  namespace: 'local',
  name: 'show',
  description: 'Shows its secret and a value.',
  parameters: { type: 'object', properties: { value: text }, required: ['value'] },
  backend: {
    adapter: 'cli',
    command: process.execPath,
    argsTemplate: [
      '-e',
      'const s = process.env.KEY; console.log(s, btoa(s), encodeURIComponent(s)); console.error(s)',
      '{value}',
    ],
    env: { KEY: '{env:TOKEN}' },
  },
}

function request(origin: string): ToolDefinition {
  return {
    namespace: 'http::api',
    name: 'read',
    description: 'Reads something.',
    parameters: { type: 'object', properties: { id: text }, required: ['id'] },
    backend: {
      adapter: 'http',
      url: `${origin}/items/{id}`,
      auth: { type: 'apiKey', in: 'query', name: 'key', value: '{env:TOKEN}' },
    },
  }
}

/** Makes calls one after another; gives back all that was written to audit, log and results. */
async function record(
  calls: readonly { readonly name: string; readonly arguments: object }[],
): Promise<{ readonly audit: readonly object[]; readonly everything: string }> {
  // It gives back what it was asked, the key in the query included.
  const server = createServer(({ url }, response) => response.writeHead(404).end(`no ${url}`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const audit: object[] = []
  const lines: unknown[] = []
  const write = (...line: readonly unknown[]): void => void lines.push(line)
  const gateway = createGateway({
    adapters: [cliAdapter({ runner: false }), httpAdapter({ allow: ['127.0.0.1'] })],
    tools: [program, request(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)],
    secrets: (name) => (name === 'TOKEN' ? secret : undefined),
    ports: { audit: { append: (entry) => void audit.push(entry) } },
    log: { debug: write, info: write, warn: write, error: write },
  })
  try {
    await gateway.start()
    for (const call of calls) lines.push(await gateway.dispatch(call))
  } finally {
    await gateway.close()
    server.close()
  }
  return { audit, everything: JSON.stringify([audit, lines]) }
}

describe('what is written about calls of programs and HTTP operations (A5, A12)', () => {
  it('names tool, decision, rule, attempts and time', async () => {
    const { audit } = await record([
      { name: 'local::show', arguments: { value: 'x' } },
      { name: 'local::show', arguments: { value: '-x' } },
      { name: 'http::api::read', arguments: { id: '..' } },
    ])
    const refused = { status: 'denied', code: 'guard_refused', outcome: 'not_started' }
    expect(audit).toMatchObject([
      { tool: 'local::show', adapter: 'cli', status: 'ok', outcome: 'done', attempts: 1 },
      { tool: 'local::show', adapter: 'cli', rule: 'leading-dash', ...refused },
      { tool: 'http::api::read', adapter: 'http', rule: 'path-segment', ...refused },
    ])
    expect(audit.every((entry) => 'durationMs' in entry && !('data' in entry))).toBe(true)
  })

  it('holds no secret in any form', async () => {
    const { everything } = await record([
      { name: 'local::show', arguments: { value: 'x' } },
      { name: 'http::api::read', arguments: { id: '7' } },
    ])
    expect(everything).toContain('no /items/7')
    for (const form of forms) expect(everything).not.toContain(form)
  })
})

describe('a refusal (A2)', () => {
  let folder: string
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-audit-')))
    mkdirSync(join(folder, 'work'))
    symlinkSync('/etc', join(folder, 'work', 'away'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('tells the operator alone where a path leads', async () => {
    const workspace = join(folder, 'work')
    const audit: { readonly rule?: string; readonly reason?: string }[] = []
    const cat: ToolDefinition = {
      namespace: 'local',
      name: 'cat',
      description: 'Shows a file.',
      parameters: { type: 'object', properties: { file: text }, required: ['file'] },
      backend: {
        adapter: 'cli',
        command: 'cat',
        argsTemplate: ['{file}'],
        arguments: { file: { kind: 'path' } },
      },
    }
    const gateway = createGateway({
      adapters: [
        cliAdapter({ runner: false, workspace, exec: { programs: ['cat'] } }),
        fileAdapter({
          roots: { deny: { path: workspace }, inside: { path: workspace, links: 'inside' } },
        }),
      ],
      tools: [cat],
      ports: { audit: { append: (entry) => void audit.push(entry) } },
    })
    await gateway.start()
    const path = 'away/hostname'
    const calls = [
      { name: 'local::cat', arguments: { file: path } },
      { name: 'cli::exec_command', arguments: { command: 'cat', args: [path] } },
      { name: 'file::read', arguments: { path } },
      { name: 'file::read', arguments: { path, root: 'inside' } },
    ]
    for (const call of calls) {
      const result = await gateway.dispatch(call)
      expect(result.status).toBe('denied')
      expect(JSON.stringify(result)).not.toContain(folder)
    }
    await gateway.close()
    expect(audit.map(({ rule }) => rule)).toEqual(['kind-path', 'symlink', 'symlink', 'symlink'])
    expect(audit.map(({ reason = '' }) => reason.split('\n', 1)[0])).toEqual([
      expect.stringContaining(`leads to /etc/hostname, not below ${workspace}`),
      expect.stringContaining(`leads to /etc/hostname, not below ${workspace}`),
      expect.stringContaining(`${workspace}/away/hostname lies at /etc/hostname`),
      expect.stringContaining('/etc/hostname from the root "inside"'),
    ])
  })
})
