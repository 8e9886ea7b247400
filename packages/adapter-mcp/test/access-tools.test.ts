import { describe, expect, it, onTestFinished } from 'vitest'

import { filePinStore, type HttpServer } from '../src/index.ts'
import { scratchFile } from './fake.ts'
import { json, type Json, type Mode, result, startFakeHttp } from './fixtures/fake-http.ts'
import { start, stubHost } from './host.ts'
import { type Connected, connected } from './http.ts'

/** What a server with resources and prompts answers, by method. */
const answers: { readonly [method: string]: (params: Json) => Json } = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'library', version: '1' },
  }),
  'resources/list': () => ({
    resources: [{ uri: 'lib://1', name: 'One\u202E', mimeType: 'text/plain' }],
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'lib://{id}', name: 'Any' }],
  }),
  'resources/read': ({ uri }) => ({
    contents: [
      { uri, mimeType: 'text/plain', text: `text of ${String(uri)}` },
      { uri, mimeType: 'image/png', blob: 'AAEC' },
    ],
  }),
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
  'prompts/get': ({ arguments: args }) => ({
    description: 'Greets',
    messages: [
      { role: 'user', content: { type: 'text', text: `Hello ${String((args as Json)['who'])}` } },
    ],
  }),
}

const library: Mode = (exchange) => {
  const answer = answers[String(exchange.body['method'])]
  if (answer === undefined) return undefined
  const session = 'only'
  exchange.server.sessions.add(session)
  return result(exchange, answer((exchange.body['params'] ?? {}) as Json), {
    'mcp-session-id': session,
  })
}

const both = { era: '2025', resources: true, prompts: true } as const

async function call(running: Connected, name: string, args: object = {}) {
  const tool = (await running.tools()).find((each) => each.name === name)
  return running.adapter.invoke(
    { callId: 'c', idempotencyKey: 'c', attempt: 1, tool: tool!, arguments: { ...args } },
    {
      signal: new AbortController().signal,
      log: running.host.log,
      progress: () => undefined,
      blob: () => {
        throw new Error('no blob is expected')
      },
    },
  )
}

const namesOf = async (more: Partial<HttpServer>, modes: readonly Mode[] = [library]) =>
  (await (await connected(modes, more)).tools()).map(({ name }) => name)

describe('resources and prompts as tools', () => {
  it('are offered where that is asked for', async () => {
    expect(await namesOf({ era: '2025' })).toEqual(['echo'])
    expect(await namesOf({ era: '2025', resources: true })).toEqual([
      'echo',
      'list_resources',
      'read_resource',
    ])
    expect(await namesOf(both)).toEqual([
      'echo',
      'list_resources',
      'read_resource',
      'list_prompts',
      'get_prompt',
    ])
  })

  it('are not offered where the server has none', async () => {
    expect(await namesOf(both, [])).toEqual(['echo'])
  })

  it('claim nothing of a server that is not trusted', async () => {
    const tools = await (await connected([library], both)).tools()
    expect(tools.map(({ effects }) => effects)).toEqual(tools.map(() => ({})))
    const trusted = await (await connected([library], { ...both, trust: true })).tools()
    expect(trusted.at(-1)?.effects).toEqual({ readOnly: true, concurrency: 'parallel' })
  })

  it('give way to a tool of the server that has the same name', async () => {
    const host = stubHost()
    const running = await connected([library], both, host)
    running.fake.tools.push({ name: 'read_resource', inputSchema: { type: 'object' } })
    running.fake.sessions.clear()
    const again = await connected(
      [
        (exchange) => {
          exchange.server.tools = running.fake.tools
          return library(exchange)
        },
      ],
      both,
      host,
    )
    const own = (await again.tools()).filter(({ name }) => name === 'read_resource')
    expect(own).toHaveLength(1)
    expect(own[0]?.backend).not.toHaveProperty('access')
    expect(host.lines.some(({ message }) => message.includes('of the name of one for'))).toBe(true)
  })

  it('are there for each of several servers, though their names are the same', async () => {
    const host = stubHost()
    const [a, b] = [await startFakeHttp(library), await startFakeHttp(library)]
    onTestFinished(async () => {
      await a.close()
      await b.close()
    })
    const { adapter, tools } = await start(
      {
        servers: { a: { url: a.url, ...both }, b: { url: b.url, ...both, allow: [] } },
        pins: { store: filePinStore(scratchFile()) },
      },
      host,
    )
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    const readers = (await tools()).filter(({ name }) => name === 'read_resource')
    expect(readers.map(({ namespace }) => namespace)).toEqual(['a', 'b'])
    expect(host.lines.filter(({ level }) => level === 'warn')).toEqual([])
  })

  it('list resources of a server that knows no templates', async () => {
    const without: Mode = (exchange) => {
      const { id, method } = exchange.body
      const error = { code: -32_601, message: 'Method not found' }
      return method === 'resources/templates/list'
        ? json(exchange, { jsonrpc: '2.0', id, error })
        : undefined
    }
    const running = await connected([without, library], both)
    expect((await call(running, 'list_resources')).data).toEqual({
      resources: [{ uri: 'lib://1', name: 'One', mimeType: 'text/plain' }],
    })
  })

  it('list resources and templates, cleaned', async () => {
    const running = await connected([library], both)
    expect((await call(running, 'list_resources')).data).toEqual({
      resources: [{ uri: 'lib://1', name: 'One', mimeType: 'text/plain' }],
      templates: [{ uriTemplate: 'lib://{id}', name: 'Any' }],
    })
  })

  it('read a resource, part by part', async () => {
    const running = await connected([library], both)
    const output = await call(running, 'read_resource', { uri: 'lib://7' })
    expect(output.data).toBe('text of lib://7')
    expect(output.content).toEqual([
      { type: 'resource', uri: 'lib://7', mediaType: 'text/plain', text: 'text of lib://7' },
      {
        type: 'resource',
        uri: 'lib://7',
        mediaType: 'image/png',
        data: Buffer.from([0, 1, 2]),
      },
    ])
  })

  it('are no tools of the server, and so not among those that `allow` names', async () => {
    const running = await connected([library], { ...both, allow: [] })
    expect((await running.tools()).map(({ name }) => name)).not.toContain('echo')
    expect((await call(running, 'read_resource', { uri: 'lib://7' })).data).toBe('text of lib://7')
  })

  it('list prompts and put arguments in', async () => {
    const running = await connected([library], both)
    expect((await call(running, 'list_prompts')).data).toEqual({
      prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
    })
    const output = await call(running, 'get_prompt', { name: 'greet', arguments: { who: 'Ada' } })
    expect(output.data).toEqual({ messages: [{ role: 'user', text: 'Hello Ada' }] })
    expect(output.content).toEqual([
      { type: 'text', text: 'user:' },
      { type: 'text', text: 'Hello Ada' },
    ])
  })
})
