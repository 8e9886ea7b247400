import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { createGateway } from '@callgate/core'
import type { ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

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
