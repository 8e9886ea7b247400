import { defineAdapter } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import type { Gateway } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const never = (): Promise<never> => new Promise(() => {})
const untilStopped = tool(
  'slow',
  (_args, { signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    ),
)
/** Of a batch in one adapter, with a tool that has no time limit of its own. */
const hub = defineAdapter<object>({
  contract: 1,
  name: 'hub',
  capabilities: { batch: true, isolation: 'connection' },
  configSchema: { type: 'object' },
  create: () => ({ invoke: never, invokeBatch: never }),
})
const say = {
  namespace: 'connectors',
  name: 'say',
  description: 'Says it.',
  parameters: { type: 'object' },
  backend: { adapter: 'hub' },
} as const

/** Time that passes by hand: all timers that were set until then fire. */
function handClock() {
  let now = 0.25
  const timers = new Set<() => void>()
  return {
    clock: {
      now: () => now,
      setTimeout(run: () => void) {
        timers.add(run)
        return run
      },
      clearTimeout: (timer: unknown) => void timers.delete(timer as () => void),
    },
    async pass(ms: number): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve))
      now += ms
      for (const run of timers) run()
    },
  }
}

describe('the deadline of a caller', () => {
  const codes = async (gateway: Gateway, name: string, args: (n: number) => object) => {
    const seen: (string | undefined)[] = []
    for (let n = 0; n < 8; n++) {
      const call = { name, arguments: args(n) }
      const { data, error } = await gateway.dispatch(call, { deadlineMs: 20 })
      seen.push(JSON.stringify(data).includes('circuit_open') ? 'circuit_open' : error?.code)
    }
    return seen
  }

  it('that runs out says nothing of the tool, so it opens no circuit', async () => {
    const seen = await codes(gatewayOf([untilStopped]), 'slow', (n) => ({ n }))
    expect(seen).toEqual(Array.from({ length: 8 }, () => 'timeout'))
  })

  it('opens none of a batch of connectors either', async () => {
    const gateway = gatewayOf([say], { adapters: [hub({})] })
    const seen = await codes(gateway, 'tool_call', (n) => ({
      calls: [{ name: 'connectors__say', arguments: { n } }],
    }))
    expect(seen).not.toContain('circuit_open')
  })

  it('that is over before the tool starts is said to be, and that nothing ran', async () => {
    const result = await gatewayOf([untilStopped]).dispatch(
      { name: 'slow', arguments: {} },
      { deadlineMs: 0 },
    )
    expect(result).toMatchObject({
      error: { code: 'timeout' },
      metadata: { outcome: 'not_started' },
    })
    expect(result.error?.message).toBe('local::slow did not start before the deadline of the call.')
    expect(result.error?.hint).toBeUndefined()
  })

  it('that is over asks no person in vain', async () => {
    let asked = 0
    const time = handClock()
    const slow = tool('slow', untilStopped.execute, {
      effects: { readOnly: true },
      fallback: ['local::confirmed'],
    })
    const gateway = gatewayOf([slow, tool('confirmed', () => 'ran', { confirm: true })], {
      ports: { clock: time.clock },
      async approver() {
        asked++
        return { decision: 'deny' }
      },
    })
    const running = gateway.dispatch({ name: 'slow', arguments: {} }, { deadlineMs: 20 })
    await time.pass(1000)
    expect([(await running).error?.code, asked]).toEqual(['timeout', 0])
  })

  it('holds for a schema that answers later', async () => {
    const parameters = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: never,
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    }
    const gateway = gatewayOf([tool('checked', () => 'ran', { parameters })])
    const result = await gateway.dispatch({ name: 'checked', arguments: {} }, { deadlineMs: 20 })
    expect(result).toMatchObject({
      error: { code: 'timeout' },
      metadata: { outcome: 'not_started' },
    })
  })

  it('is told in whole milliseconds', async () => {
    const time = handClock()
    const gateway = gatewayOf([untilStopped], { ports: { clock: time.clock } })
    const running = gateway.dispatch({ name: 'slow', arguments: {} }, { deadlineMs: 20.5 })
    await time.pass(1000)
    expect((await running).error?.message).toBe('local::slow took longer than 21 ms.')
  })
})
