import { readFileSync } from 'node:fs'

import { describe, expect, it, onTestFinished } from 'vitest'

import { fake, scratchFile, withFake } from './fake.ts'
import { type Exchange, result, startFakeHttp } from './fixtures/fake-http.ts'
import { start, stubHost, until } from './host.ts'

describe('start', () => {
  it('brings up the good servers whatever the others do, in the time of the slowest', async () => {
    const host = stubHost()
    const before = performance.now()
    const running = await start(
      {
        servers: {
          good: fake('plain'),
          crashed: fake('crash-at-start'),
          silent: fake('silent', { connectTimeoutMs: 800 }),
          missing: { command: '/no/such/program' },
          line: { command: 'no-such-runner -y server' },
        },
      },
      host,
    )
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect(performance.now() - before).toBeLessThan(3000)
    expect((await running.tools()).every((tool) => tool.namespace === 'good')).toBe(true)
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health?.state).toBe('degraded')
    expect(health?.reason).toContain('silent: not ready within 800 ms')
    expect(health?.reason).toMatch(/^missing: the program \/no\/such\/program was not found$/m)
    expect(health?.reason).toContain(
      'line: the program no-such-runner -y server was not found; arguments go into args',
    )
  })

  it('tells why a server died: exit code and the end of its stderr, cleaned and redacted (crash-reason-lost)', async () => {
    const running = await withFake(
      'crash-at-start',
      { env: { KEY: '{env:API_SECRET}' } },
      { host: stubHost({ API_SECRET: 's3cret-value' }) },
    )
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health).toMatchObject({ state: 'down' })
    expect(health?.reason).toContain('exit code 3')
    expect(health?.reason).toContain('stderr: FATAL: missing API_KEY ([redacted])')
  })

  it('names a folder that is missing, not the program', async () => {
    const running = await withFake('plain', { cwd: '/no/such/folder' })
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health?.reason).toContain('the folder /no/such/folder was not found')
  })

  it('names a secret that is missing', async () => {
    const running = await withFake('plain', { env: { KEY: '{env:NOT_SET_ANYWHERE}' } })
    const health = await running.adapter.health?.(new AbortController().signal)
    expect(health?.reason).toContain('needs the secret NOT_SET_ANYWHERE, which is not set')
  })

  it('comes again by itself for a server that was not there, and tells the host', async () => {
    const host = stubHost()
    const running = await withFake('late-ready', {}, { host, file: scratchFile() })
    expect(await running.tools()).toEqual([])
    await until(() => host.changes === 1)
    expect((await running.tools()).length).toBeGreaterThan(0)
    expect(await running.adapter.health?.(new AbortController().signal)).toEqual({
      state: 'ok',
      servers: [{ name: 's', state: 'ready' }],
    })
  })
})

describe('a server that is up but cannot list its tools at first', () => {
  it('is asked again until it can', async () => {
    const host = stubHost()
    const running = await withFake('list-later', { timeoutMs: 200 }, { host })
    expect(running.access.servers()[0]?.tools).toEqual([])
    await until(() => host.changes > 0)
    expect((await running.tools()).length).toBeGreaterThan(0)
  })
})

describe('a server that is up and slow to list its tools', () => {
  it('is not waited for beyond the time of the start, and its tools come when they do', async () => {
    const held: Exchange[] = []
    const hold = (exchange: Exchange): true | undefined => {
      if (exchange.body['method'] !== 'tools/list' || exchange.before > 0) return undefined
      held.push(exchange)
      return true
    }
    const slow = await startFakeHttp(hold)
    onTestFinished(() => slow.close())
    const host = stubHost()
    const before = performance.now()
    const servers = { s: { url: slow.url, era: '2025' as const } }
    const running = await start({ servers, startWaitMs: 500 }, host)
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect(performance.now() - before).toBeLessThan(3000)
    expect(await running.tools()).toEqual([])
    for (const exchange of held) result(exchange, { tools: slow.tools })
    await until(() => host.changes > 0)
    expect((await running.tools()).length).toBeGreaterThan(0)
  })
})

describe('servers that hang at their start', () => {
  it('hold up none of the others, however many they are (slow-server-blocks-all)', async () => {
    const silent = Object.fromEntries(
      Array.from({ length: 3 }, (_, index) => [`silent${String(index)}`, fake('silent')]),
    )
    const running = await start({
      servers: { ...silent, good: fake('plain') },
      startConcurrency: 2,
      startWaitMs: 4000,
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await running.tools()).length).toBeGreaterThan(0)
  })

  it('are not told to cancel the handshake, which no server may be', async () => {
    const file = scratchFile()
    const line = `tee "${file}" > /dev/null`
    const running = await start({
      servers: { s: { command: 'sh', args: ['-c', line], connectTimeoutMs: 300 } },
    })
    await running.adapter.stop?.({ graceMs: 100 })
    const sent = readFileSync(file, 'utf8')
    expect(sent).toContain('"initialize"')
    expect(sent).not.toContain('cancelled')
  })
})
