import { describe, expect, it, onTestFinished } from 'vitest'

import { filePinStore, mcpAdapter, type McpServerStatus } from '../src/index.ts'
import { fake, scratchFile, withFake } from './fake.ts'
import { create, start, stubHost, until } from './host.ts'
import { healthOf } from './http.ts'

describe('the status of a server', () => {
  it('tells how it is reached, what it is, and what it offers', async () => {
    const running = await withFake('bad-tools')
    const [status] = running.access.servers()
    expect(status).toMatchObject({
      name: 's',
      state: 'ready',
      transport: 'stdio',
      era: 'legacy',
      serverName: 'fake',
      serverVersion: '1.0.0',
      restarts: 0,
      noiseLines: 0,
      pending: [],
    })
    expect(status?.tools).toContain('good')
    expect(status?.leftOut.map(({ reason }) => reason)).toEqual([
      'the input schema is for "string", not for an object',
      'no usable name',
      'not an object',
      'listed twice',
    ])
    expect(status?.startMs).toBeGreaterThan(0)
    expect(status).not.toHaveProperty('reason')
  })

  it('counts its noise and keeps the end of its stderr', async () => {
    const noisy = await withFake('glued-noise')
    await noisy.call('s.noise')
    expect(noisy.access.servers()[0]?.noiseLines).toBe(4)
    const loud = await withFake('chatty')
    await loud.call('s.chat')
    const { stderrTail } = loud.access.servers()[0]!
    expect(stderrTail?.split('\n').slice(-2)).toEqual(['line 499', '世'])
  })

  it('counts its restarts and remembers the last failure when it is up again', async () => {
    const running = await withFake('plain', { restart: { initialMs: 1 } })
    await running.call('s.die').catch(() => undefined)
    await running.call('s.echo')
    expect(running.access.servers()[0]).toMatchObject({
      state: 'ready',
      restarts: 1,
      lastError: expect.stringContaining('exit code 9') as string,
    })
  })

  it('comes as an event whenever it changes', async () => {
    const running = create({ servers: { s: fake('plain', { restart: { initialMs: 1 } }) } })
    const states: string[] = []
    const end = running.access.onServerState(({ name, state }) => {
      // The wait after a failure is random, so it may be over at once, or before the next call.
      const told = `${name} ${state === 'failed' ? 'cooling' : state}`
      if (states.at(-1) !== told) states.push(told)
    })
    running.access.onServerState(() => {
      throw new Error('of the listener')
    })
    await running.adapter.start?.(new AbortController().signal)
    expect(states).toEqual(['s starting'])
    await running.tools()
    await until(() => states.includes('s ready'))
    await running.call('s.die').catch(() => undefined)
    await running.call('s.echo')
    expect(states).toEqual(['s starting', 's ready', 's cooling', 's starting', 's ready'])
    await running.adapter.stop?.({ graceMs: 100 })
    expect(states.at(-1)).toBe('s closed')
    end()
    expect(running.host.lines.some(({ message }) => message === 'mcp: a listener failed')).toBe(
      true,
    )
  })

  it('comes as an event when the wait after a failure is over', async () => {
    const running = await withFake('plain', { restart: { initialMs: 300 } })
    const events: string[] = []
    running.access.onServerState(({ state }) => {
      if (state !== 'ready') events.push(state)
    })
    await running.call('s.die').catch(() => undefined)
    await until(() => running.access.servers()[0]?.state === 'failed')
    await until(() => events.at(-1) === 'failed')
    // The wait is random, so it may be over at once.
    expect(['cooling failed', 'failed']).toContain(events.join(' '))
  })

  it('is ready for a call that comes before anybody asked for its tools', async () => {
    const running = create({ servers: { s: fake('plain') } })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    await running.adapter.start?.(new AbortController().signal)
    expect((await healthOf(running))?.state).not.toBe('ok')
    await running.call('s.echo')
    expect(running.access.servers()[0]?.state).toBe('ready')
    expect((await healthOf(running))?.state).toBe('ok')
  })

  it('is degraded while its tools cannot be listed', async () => {
    const running = await withFake('list-later', { timeoutMs: 200 })
    expect(running.access.servers()[0]).toMatchObject({
      state: 'degraded',
      reason: 'its tools cannot be listed',
    })
    expect((await healthOf(running))?.state).toBe('degraded')
    await until(() => running.access.servers()[0]?.state === 'ready')
  })

  it('is failed or cooling where it does not start, with the reason', async () => {
    const running = await withFake('crash-at-start')
    const [status] = running.access.servers()
    expect(['cooling', 'failed']).toContain(status?.state)
    expect(status?.reason).toContain('exit code 3')
  })

  it('is told by health, too, for each by itself', async () => {
    const running = await start({
      startWaitMs: 50,
      servers: { late: fake('silent'), good: fake('plain') },
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    await until(() => running.access.servers()[1]?.state === 'ready')
    const health = (await healthOf(running)) as { servers?: Partial<McpServerStatus>[] }
    expect(health.servers).toEqual([
      { name: 'late', state: 'starting', reason: 'starting' },
      { name: 'good', state: 'ready' },
    ])
  })

  it('holds what the server says about its use, cleaned, and back when it has changed', async () => {
    const pins = { store: filePinStore(scratchFile()) }
    const first = await withFake('instructed', {}, { pins })
    expect(first.access.servers()[0]?.instructions).toBe('Be kind.')
    const env = { INSTRUCTIONS: 'Be cruel.' }
    const later = await withFake('instructed', { env }, { pins })
    expect(later.access.servers()[0]).not.toHaveProperty('instructions')
    expect(later.access.pendingTools('s')).toEqual([
      {
        name: '(instructions)',
        state: 'changed',
        differences: [expect.stringContaining('Be cruel.') as string],
        definition: JSON.stringify({ instructions: 'Be cruel.' }, undefined, 2),
        digest: expect.any(String) as string,
      },
    ])
    await later.access.approveTools('s', later.access.pendingTools('s'))
    expect(later.access.servers()[0]?.instructions).toBe('Be cruel.')
  })

  it('tells what is kept back without the secrets that the server was started with', async () => {
    const pins = { store: filePinStore(scratchFile()) }
    await withFake('instructed', {}, { pins })
    const host = stubHost({ TOKEN: 'quoted"and/long' })
    const env = { INSTRUCTIONS: 'Say {env:TOKEN}.' }
    const { access } = await withFake('instructed', { env }, { pins, host })
    const [pending] = access.pendingTools('s')
    expect(pending?.definition).toContain('"Say [redacted]."')
    expect(pending?.differences.join()).toContain('"Say [redacted]."')
    expect(access.servers()[0]?.pending).toEqual([pending])
    await access.approveTools('s', access.pendingTools('s'))
    expect(access.pendingTools('s')).toEqual([])
  })
})

describe('an adapter', () => {
  it('ends its servers when it is disposed of', async () => {
    const adapter = mcpAdapter({ servers: { s: fake('plain') } })
    const instance = adapter.create(stubHost())
    await instance.start?.(new AbortController().signal)
    expect(adapter.servers()[0]?.state).toBe('starting')
    await instance.discover?.(new AbortController().signal)
    expect(adapter.servers()[0]?.state).toBe('ready')
    await adapter[Symbol.asyncDispose]()
    expect(adapter.servers()[0]?.state).toBe('closed')
  })

  it('that belongs to no gateway has nothing to end, and says so when asked for its servers', async () => {
    const adapter = mcpAdapter({ servers: {} })
    await adapter[Symbol.asyncDispose]()
    expect(() => adapter.servers()).toThrow('belongs to no gateway yet')
  })
})
