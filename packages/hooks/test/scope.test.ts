import { describe, expect, it } from 'vitest'

import { createHookBus, isPromiseLike, type HookBus, type HookOptions } from '../src/index.ts'
import { handClock } from './clock.ts'

interface Events {
  save: { payload: { name: string }; gate: { action: 'block' } | void }
  list: { payload: { names: readonly string[] } }
  wrap: { payload: { next(): Promise<object> }; around: object }
}

function makeBus(more: Parameters<typeof createHookBus>[0] = {}): HookBus<Events> {
  const bus = createHookBus<Events>(more)
  bus.declare('save', { kind: 'gate', fault: 'block', timeoutMs: 2000 })
  bus.declare('wrap', { kind: 'around', fault: 'block' })
  return bus
}

describe('the scope of a hook', () => {
  it('is where it hears of things, and below', async () => {
    const bus = makeBus()
    bus.on('save', () => ({ action: 'block' }), { scope: 'team' })
    const decision = async (scope?: string) =>
      (await bus.run('save', { name: 'a' }, scope === undefined ? {} : { scope })).decision
    expect([await decision('team'), await decision('team/agent')]).toEqual(['block', 'block'])
    expect([await decision(), await decision('teams'), await decision('other/team')]).toEqual([
      'none',
      'none',
      'none',
    ])
  })

  it('counts beside the pattern of the subject', async () => {
    const bus = makeBus()
    bus.on('save', () => ({ action: 'block' }), { scope: 'team', match: 'a*' })
    const decision = async (scope: string, subject: string) =>
      (await bus.run('save', { name: 'a' }, { scope, subject })).decision
    expect(await decision('team', 'ab')).toBe('block')
    expect(await decision('team', 'b')).toBe('none')
    expect(await decision('other', 'ab')).toBe('none')
  })
})

describe('an event about many', () => {
  it('is told to a hook whose pattern covers one of them', async () => {
    const bus = makeBus()
    let heard = 0
    bus.on('list', () => void heard++, { match: 'local::*' })
    await bus.run('list', { names: [] }, { subjects: ['mcp::a', 'local::b'] })
    await bus.run('list', { names: [] }, { subjects: ['mcp::a'] })
    await bus.idle()
    expect(heard).toBe(1)
  })
})

describe('the time for an answer', () => {
  const never = new Promise<never>(() => {})
  async function waited(bus: HookBus<Events>, clock: ReturnType<typeof handClock>, ms: number) {
    const run = bus.run('save', { name: 'a' })
    // Promises that are settled already get no timer: it is set when they have had their turn.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    clock.advance(ms)
    return (await run).blockedBy?.fault
  }

  it('is what the hook says, else what the bus says, else what the event says', async () => {
    const cases: readonly [HookOptions, number | undefined, number][] = [
      [{}, undefined, 2000],
      [{}, 300, 300],
      [{ timeoutMs: 100 }, 300, 100],
    ]
    for (const [options, timeoutMs, ms] of cases) {
      const clock = handClock()
      const bus = makeBus({ clock, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
      bus.on('save', () => never, options)
      expect(await waited(bus, clock, ms)).toMatchObject({
        message: expect.stringContaining(`${ms} ms`) as string,
      })
    }
  })
})

describe('a hook around that only records', () => {
  const tool = async (): Promise<object> => ({ from: 'tool' })
  async function wrap(handler: (payload: { next(): Promise<object> }) => unknown) {
    const bus = makeBus()
    bus.on('wrap', handler as never, { auditOnly: true, id: 'h' })
    let runs = 0
    const next = (): Promise<object> => (runs++, tool())
    const { value, trace, decision } = await bus.run('wrap', { next })
    return { value, runs, decision, told: trace[0] }
  }

  it('changes nothing: not by a substitute, not by a fault, before the tool or after it', async () => {
    const unchanged = { value: { from: 'tool' }, runs: 1, decision: 'none' }
    expect(await wrap(() => ({ from: 'cache' }))).toMatchObject({
      ...unchanged,
      told: { decision: 'would substitute' },
    })
    expect(await wrap(async ({ next }) => ({ ...(await next()), more: 1 }))).toMatchObject({
      ...unchanged,
      told: { decision: 'would substitute' },
    })
    const thrower = (): never => {
      throw new Error('no')
    }
    expect(await wrap(thrower)).toMatchObject({ ...unchanged, told: { fault: 'no' } })
    expect(await wrap(async ({ next }) => (await next(), thrower()))).toMatchObject({
      ...unchanged,
      told: { fault: 'no' },
    })
    const watching = await wrap(({ next }) => next())
    expect(watching).toMatchObject(unchanged)
    expect(watching.told?.decision).toBeUndefined()
  })
})

describe('an option of a hook that there is not', () => {
  it.each([[{ prority: 1 }], [{ audit_only: true }], [{ match: /a/ }], [{ scope: 7 }]])(
    'is refused: %j',
    (options) => {
      expect(() => makeBus().on('save', () => {}, options as never)).toThrow(TypeError)
    },
  )
})

describe('what is like a promise', () => {
  it('has a function then, whoever made it', () => {
    // oxlint-disable-next-line unicorn/no-thenable -- an object like this is what is asked about
    const withThen = (value: unknown): object => Object.defineProperty({}, 'then', { value })
    expect([Promise.resolve(), withThen(() => {})].every(isPromiseLike)).toBe(true)
    expect([null, undefined, 1, {}, withThen(1), () => {}].some(isPromiseLike)).toBe(false)
  })
})
