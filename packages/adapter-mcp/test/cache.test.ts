import { existsSync, readFileSync } from 'node:fs'

import { describe, expect, it, onTestFinished } from 'vitest'

import {
  type CachedTools,
  filePinStore,
  fileToolCache,
  type HttpServer,
  type McpOptions,
} from '../src/index.ts'
import { fake, scratchFile } from './fake.ts'
import {
  type Exchange,
  type FakeHttp,
  result,
  startFakeHttp,
  stream,
} from './fixtures/fake-http.ts'
import { type Running, start, stubHost, until } from './host.ts'
import { healthOf, methodsOf } from './http.ts'

const echo = { name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } }
const other = { ...echo, name: 'other' }

async function fakeWith(...tools: object[]): Promise<FakeHttp> {
  const server = await startFakeHttp()
  onTestFinished(() => server.close())
  server.tools = tools as FakeHttp['tools']
  return server
}

async function running(options: McpOptions, host = stubHost()): Promise<Running> {
  const made = await start(options, host)
  onTestFinished(() => made.adapter.stop?.({ graceMs: 100 }))
  return made
}

const namesOf = async ({ tools }: Running): Promise<string[]> =>
  (await tools()).map(({ name }) => name)

/** A server with a cache that holds what it listed in an earlier run. */
async function knownServer(server: FakeHttp, more: Partial<HttpServer> = {}): Promise<McpOptions> {
  const options = {
    servers: { s: { url: server.url, era: '2025' as const, ...more } },
    toolCache: fileToolCache(scratchFile()),
  }
  const first = await start(options)
  await first.adapter.stop?.({ graceMs: 100 })
  server.recorded.length = 0
  return options
}

describe('tools of an earlier run', () => {
  it('are those of the same environment and folder', async () => {
    const toolCache = fileToolCache(scratchFile())
    const of = (account: string): McpOptions => ({
      servers: { s: fake('of-account', { env: { ACCOUNT: account }, lazy: true }) },
      toolCache,
    })
    for (const account of ['one', 'two']) {
      const first = await start({ ...of(account), startWaitMs: 5000 })
      await first.adapter.stop?.({ graceMs: 100 })
    }
    expect(await namesOf(await running(of('one')))).toEqual(['of-one'])
    expect(await namesOf(await running(of('two')))).toEqual(['of-two'])
  })

  it('are offered at once, though the server is not there', async () => {
    const server = await fakeWith(echo)
    const options = await knownServer(server)
    await server.close()
    const later = await running(options)
    expect(await namesOf(later)).toEqual(['echo'])
    await expect(later.call('s.echo')).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
  })

  it('do not wait for a server that hangs at its start', async () => {
    const cached: CachedTools = { tools: [echo], info: {}, mirrorsParameters: false }
    const toolCache = { read: () => Promise.resolve(cached), write: () => Promise.resolve() }
    const before = performance.now()
    const made = await running({ servers: { s: fake('silent') }, toolCache })
    expect(performance.now() - before).toBeLessThan(5000)
    expect(await namesOf(made)).toEqual(['echo'])
  })

  it('give way to what the server lists when it is up, and the host is told', async () => {
    const server = await fakeWith(echo)
    const options = await knownServer(server)
    server.tools = [echo, other] as FakeHttp['tools']
    const host = stubHost()
    const later = await running(options, host)
    await until(() => host.changes > 0)
    expect(await namesOf(later)).toEqual(['echo', 'other'])
    await server.close()
    expect(await namesOf(await running(options))).toEqual(['echo', 'other'])
  })
})

describe('a cache that could not be written', () => {
  it('is written when the same list is read again', async () => {
    let push: ((data: unknown) => void) | undefined
    const server = await startFakeHttp((exchange) => {
      if (exchange.method !== 'GET') return undefined
      push = stream(exchange)
      return true
    })
    onTestFinished(() => server.close())
    const written: CachedTools[] = []
    let full = true
    const toolCache = {
      read: () => Promise.resolve(undefined),
      write: (_identity: string, tools: CachedTools) => {
        if (full) return Promise.reject(new Error('no space'))
        written.push(tools)
        return Promise.resolve()
      },
    }
    const host = stubHost()
    await running({ servers: { s: { url: server.url, era: '2025' } }, toolCache }, host)
    expect(host.lines.map(({ message }) => message)).toContain('mcp: the cache of tools failed')
    full = false
    await until(() => push !== undefined)
    push?.({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    await until(() => written.length === 1)
  })
})

describe('a lazy server', () => {
  it('is started by the first call, and healthy before', async () => {
    const server = await fakeWith(echo)
    const later = await running(await knownServer(server, { lazy: true }))
    expect(await namesOf(later)).toEqual(['echo'])
    expect(await healthOf(later)).toEqual({
      state: 'ok',
      servers: [{ name: 's', state: 'idle' }],
    })
    expect(methodsOf(server)).toEqual([])
    expect((await later.call('s.echo', { a: 1 })).data).toBe('echo {"a":1}')
    expect(methodsOf(server).filter((method) => method === 'tools/call')).toHaveLength(1)
  })

  it('is as well as it was when the first caller stops while its list is read', async () => {
    const held: Exchange[] = []
    let holding = false
    const server = await startFakeHttp((exchange) => {
      if (!holding || exchange.body['method'] !== 'tools/list') return undefined
      held.push(exchange)
      return true
    })
    onTestFinished(() => server.close())
    server.tools = [echo] as FakeHttp['tools']
    const options = await knownServer(server, { lazy: true })
    holding = true
    const later = await running(options)
    const states: string[] = []
    later.access.onServerState(({ state }) => states.push(state))
    const stop = new AbortController()
    const call = later.call('s.echo', {}, { signal: stop.signal })
    await until(() => held.length > 0)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled', started: 'no' })
    holding = false
    for (const exchange of held) result(exchange, { tools: server.tools })
    expect((await later.call('s.echo')).data).toBe('echo {}')
    expect(states).not.toContain('degraded')
  })

  it('is no process before the first call', async () => {
    const file = scratchFile()
    const servers = { s: { ...fake('grandchild', {}, file), lazy: true } }
    const cached: CachedTools = { tools: [echo], info: {}, mirrorsParameters: false }
    const toolCache = { read: () => Promise.resolve(cached), write: () => Promise.resolve() }
    const made = await running({ servers, toolCache })
    expect(existsSync(file)).toBe(false)
    const answers = await Promise.all([made.call('s.echo'), made.call('s.echo')])
    expect(answers.map(({ data }) => data)).toEqual(['echo', 'echo'])
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
  })

  it('is started with the others where its tools are not known', async () => {
    const server = await fakeWith(echo)
    const toolCache = fileToolCache(scratchFile())
    const options = { servers: { s: { url: server.url, lazy: true } }, toolCache }
    expect(await namesOf(await running(options))).toEqual(['echo'])
  })

  it('is not called for a tool that it has no more', async () => {
    const server = await fakeWith(echo)
    const options = await knownServer(server, { lazy: true })
    server.tools = [other] as FakeHttp['tools']
    const host = stubHost()
    const later = await running(options, host)
    await expect(later.call('s.echo')).rejects.toMatchObject({
      code: 'tool_not_found',
      started: 'no',
    })
    expect(methodsOf(server)).not.toContain('tools/call')
    expect(host.changes).toBe(1)
    expect(await namesOf(later)).toEqual(['other'])
  })

  it('is not called for a tool that changed since it was approved', async () => {
    const server = await fakeWith(echo)
    const pins = { store: filePinStore(scratchFile()) }
    const known = await knownServer(server, { lazy: true })
    const options = { ...known, pins }
    await (await start(options)).adapter.stop?.({ graceMs: 100 })
    server.tools = [{ ...echo, description: 'Reads ~/.ssh' }] as FakeHttp['tools']
    const later = await running(options)
    expect(await namesOf(later)).toEqual(['echo'])
    await expect(later.call('s.echo')).rejects.toMatchObject({
      code: 'definition_changed',
      started: 'no',
    })
    expect(later.access.pendingTools('s').map(({ state }) => state)).toEqual(['changed'])
    expect(methodsOf(server)).not.toContain('tools/call')
  })
})

describe('a cache that fails', () => {
  it.each([
    ['holds garbage', () => Promise.resolve('garbage' as unknown as CachedTools)],
    ['cannot be read', () => Promise.reject(new Error('disk'))],
    ['knows of no tools', () => Promise.resolve({ tools: [], info: {}, mirrorsParameters: false })],
  ])('is as good as none when it %s', async (_what, read) => {
    const server = await fakeWith(echo)
    const toolCache = { read, write: () => Promise.reject(new Error('disk full')) }
    const servers = { s: { url: server.url, lazy: true } }
    const made = await running({ servers, toolCache })
    expect(await namesOf(made)).toEqual(['echo'])
    expect((await made.call('s.echo')).data).toBe('echo {}')
  })
})
