import { createGateway } from '@callgate/core'
import { defineAdapter } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'
import { call, fault, gatewayOf, never, tool } from './support.ts'

describe('a timeout', () => {
  it('ends a call that hangs, tells the tool to stop, and says that the effect is not known', async () => {
    const time = createVirtualClock()
    let signal: AbortSignal | undefined
    const slow = tool('slow', () => never, { timeoutMs: 500 })
    const gateway = gatewayOf(time, [
      { ...slow, execute: (_, context) => ((signal = context.signal), never) },
    ])
    const result = await time.settle(gateway.dispatch(call('slow')))
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'timeout', status: 504 },
      metadata: { outcome: 'unknown' },
    })
    expect(result.metadata.durationMs).toBeLessThanOrEqual(1000)
    expect(signal?.aborted).toBe(true)
  })

  it('is bounded by the deadline of the call, retries included', async () => {
    const time = createVirtualClock()
    let attempts = 0
    const gateway = gatewayOf(time, [
      tool(
        't',
        () => {
          attempts++
          throw fault('backend_unavailable', 'no')
        },
        { retry: { maxRetries: 100, backoff: 'fixed', initialDelayMs: 300 } },
      ),
    ])
    const result = await time.settle(gateway.dispatch(call('t'), { deadlineMs: 1000 }))
    expect(result.metadata.durationMs).toBeLessThan(1000)
    expect(attempts).toBe(4)
  })
})

describe('a call that waits in line', () => {
  it('gives up at its deadline, unsent, and leaves the line', async () => {
    const time = createVirtualClock()
    let runs = 0
    const slow = (): Promise<void> => {
      runs++
      return new Promise((resolve) => void time.clock.setTimeout(resolve, 2000))
    }
    const gateway = gatewayOf(time, [tool('slow', slow, { limits: { concurrency: 1 } })])
    const first = gateway.dispatch(call('slow'))
    const second = gateway.dispatch(call('slow'), { deadlineMs: 300 })
    const third = gateway.dispatch(call('slow'))
    const late = await time.settle(second)
    expect(late).toMatchObject({ error: { code: 'timeout' }, metadata: { outcome: 'not_started' } })
    expect(late.metadata.durationMs).toBeLessThanOrEqual(310)
    expect((await time.settle(first)).status).toBe('ok')
    expect((await time.settle(third)).status).toBe('ok')
    expect(runs).toBe(2)
  })
})

describe('an adapter that never settles', () => {
  const silent = defineAdapter<object>({
    contract: 1,
    name: 'silent',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: () => ({
      start: () => never,
      discover: () => never,
      health: () => never,
      stop: () => never,
      invoke: () => never,
    }),
  })

  it('holds up neither start, health nor close', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('works', () => 1)], { adapters: [silent({})] })
    await time.settle(gateway.start())
    const health = await time.settle(gateway.health())
    expect(health).toContainEqual(expect.objectContaining({ adapter: 'silent', state: 'down' }))
    expect((await time.settle(gateway.dispatch(call('works')))).status).toBe('ok')
    await time.settle(gateway.close())
  })
})

describe('a stop', () => {
  it('settles a turn soon although the tool ignores it, and says that the effect is not known (abt-01)', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('stuck', () => never), tool('next', () => 1)])
    const stop = new AbortController()
    const startedAt = time.clock.now()
    const run = gateway.runTurn(
      { toolCalls: [call('stuck'), call('next')] },
      { signal: stop.signal },
    )
    await expect.poll(() => true).toBe(true)
    stop.abort()
    const { results } = await time.settle(run)
    expect(time.clock.now() - startedAt).toBeLessThanOrEqual(100)
    expect(results).toMatchObject([
      { status: 'cancelled', error: { code: 'cancelled' }, metadata: { outcome: 'unknown' } },
      { status: 'cancelled', metadata: { outcome: 'not_started' } },
    ])
  })

  it('keeps the result of a tool that still ends in time', async () => {
    const time = createVirtualClock()
    const stop = new AbortController()
    const gateway = gatewayOf(time, [
      tool('t', () => {
        stop.abort()
        return Promise.resolve('done anyway')
      }),
    ])
    expect((await time.settle(gateway.dispatch(call('t'), { signal: stop.signal }))).data).toBe(
      'done anyway',
    )
  })

  it('of the gateway stops what runs, and nothing starts after it', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('stuck', () => never)])
    const running = gateway.dispatch(call('stuck'))
    await time.settle(gateway.close())
    expect((await running).status).toBe('cancelled')
    expect(await gateway.dispatch(call('stuck'))).toMatchObject({
      status: 'cancelled',
      metadata: { outcome: 'not_started' },
    })
  })
})

describe('a composite tool that takes too long', () => {
  it('tells its step to stop, and runs no further step', async () => {
    const time = createVirtualClock()
    let signal: AbortSignal | undefined
    let second = false
    const first = tool('first', () => never)
    const gateway = createGateway({
      tools: [
        {
          ...first,
          execute(_, context) {
            signal = context.signal
            return new Promise((resolve) => time.clock.setTimeout(() => resolve(1), 300))
          },
        },
        tool('second', () => (second = true)),
        {
          namespace: 'local',
          name: 'both',
          description: 'Does both.',
          parameters: true,
          timeoutMs: 100,
          backend: {
            adapter: 'composite',
            steps: [{ tool: 'local::first' }, { tool: 'local::second' }],
          },
        },
      ],
      ports: { clock: time.clock },
    })
    expect((await time.settle(gateway.dispatch(call('both')))).error?.code).toBe('timeout')
    await time.advance(1000)
    expect(signal?.aborted).toBe(true)
    expect(second).toBe(false)
  })
})
