import { createGateway } from '@callgate/core'
import { defineAdapter } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'
import { call, gatewayOf, tool } from './support.ts'

describe('limits', () => {
  it('hold over any window of a minute, and say when to try again', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('t', () => 1, { limits: { perMinute: 2 } })])
    const status = async () => (await gateway.dispatch(call('t'))).error?.code ?? 'ok'
    const wait = (ms: number) =>
      time.settle(new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms)))
    expect([await status(), await status(), await status()]).toEqual(['ok', 'ok', 'rate_limited'])
    await wait(30_000)
    const { error } = await gateway.dispatch(call('t'))
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      rule: 'perMinute',
      retryAfterMs: 30_000,
    })
    await wait(30_001)
    expect([await status(), await status(), await status()]).toEqual(['ok', 'ok', 'rate_limited'])
  })

  it.each([
    ['burst', 1000, 'per second'],
    ['perHour', 3_600_000, 'per hour'],
  ] as const)(
    '%s holds over any such time, and spends nothing on what is refused',
    async (rule, ms, text) => {
      const time = createVirtualClock()
      const gateway = gatewayOf(time, [tool('t', () => 1, { limits: { [rule]: 2 } })])
      const ask = async () => (await gateway.dispatch(call('t'))).error
      expect([await ask(), await ask()]).toEqual([undefined, undefined])
      for (let n = 0; n < 5; n++) {
        expect(await ask()).toMatchObject({
          code: 'rate_limited',
          rule,
          retryAfterMs: ms,
          message: expect.stringContaining(text) as string,
        })
      }
      await time.advance(ms + 1)
      expect([await ask(), await ask()]).toEqual([undefined, undefined])
      expect((await ask())?.code).toBe('rate_limited')
    },
  )

  it('of one tool leave the others alone; those of the policy are for tools without their own', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(
      time,
      [tool('a', () => 1), tool('b', () => 1), tool('own', () => 1, { limits: { perMinute: 3 } })],
      { policy: { limits: { perMinute: 1 } } },
    )
    const codes: unknown[] = []
    for (const name of ['a', 'b', 'a', 'own', 'own', 'own', 'own']) {
      codes.push((await gateway.dispatch(call(name))).error?.code)
    }
    const limited = 'rate_limited'
    const fine = undefined
    expect(codes).toEqual([fine, fine, limited, fine, fine, fine, limited])
  })

  it('of concurrency make calls wait their turn, and let a stopped one go', async () => {
    let running = 0
    let most = 0
    const gateway = createGateway({
      tools: [
        tool(
          't',
          async () => {
            most = Math.max(most, ++running)
            await new Promise((resolve) => setImmediate(resolve))
            running--
          },
          { limits: { concurrency: 2 } },
        ),
      ],
    })
    const stop = new AbortController()
    const calls = Array.from({ length: 6 }, (_, n) =>
      gateway.dispatch(call('t'), n === 5 ? { signal: stop.signal } : {}),
    )
    stop.abort()
    const results = await Promise.all(calls)
    expect(most).toBe(2)
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'cancelled'])
  })

  it('of a tool and its adapter together wait no longer than the call has', async () => {
    const time = createVirtualClock()
    const gates: (() => void)[] = []
    const gate = () => new Promise<void>((resolve) => gates.push(resolve))
    const gateway = gatewayOf(
      time,
      [tool('t', gate, { limits: { concurrency: 1 } }), tool('u', gate)],
      {
        policy: { adapterConcurrency: { function: 1 } },
      },
    )
    const first = gateway.dispatch(call('t'))
    const other = gateway.dispatch(call('u'))
    const late = gateway.dispatch(call('t'), { deadlineMs: 1000 })
    time.clock.setTimeout(() => gates[0]!(), 900)
    const began = time.clock.now()
    expect((await time.settle(late)).error?.code).toBe('timeout')
    expect(time.clock.now() - began).toBe(1000)
    gates[1]!()
    expect((await Promise.all([first, other])).map(({ status }) => status)).toEqual(['ok', 'ok'])
  })

  it('of no adapter hold for one that is named like what every object inherits', async () => {
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'constructor',
      capabilities: { isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({ invoke: async () => ({ data: 'ran' }) }),
    })({})
    const declared = {
      name: 't',
      description: 't',
      parameters: true,
      backend: { adapter: 'constructor' },
    }
    const gateway = createGateway({
      adapters: [adapter],
      tools: [{ ...declared, namespace: 'local' } as never],
    })
    expect((await gateway.dispatch(call('t'))).data).toBe('ran')
  })

  it('refuse what would wait behind a thousand others', async () => {
    let finish: () => void = () => {}
    const gate = new Promise<void>((resolve) => (finish = resolve))
    const gateway = createGateway({
      tools: [tool('t', () => gate, { limits: { concurrency: 1 } })],
    })
    const calls = Array.from({ length: 1002 }, () => gateway.dispatch(call('t')))
    const last = await calls.at(-1)!
    expect(last.error).toMatchObject({ code: 'overloaded', status: 503, retryable: true })
    finish()
    expect((await Promise.all(calls)).filter(({ status }) => status === 'ok')).toHaveLength(1001)
  })
})
