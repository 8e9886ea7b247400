import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createHookBus, type HookBus, type HookOptions } from '../src/index.ts'

type Events = {
  judge: {
    payload: { readonly seen: readonly string[] }
    transform: { readonly action: 'modify'; readonly add: string } | void
    gate: { readonly action: 'allow' | 'block' | 'ask'; readonly message?: string } | void
  }
}

const phases = ['early', 'normal', 'late'] as const

function makeBus(): HookBus<Events> {
  const bus = createHookBus<Events>()
  bus.declare('judge', { kind: 'gate', fault: 'block' })
  return bus
}

const apply = (
  payload: Events['judge']['payload'],
  change: unknown,
): Events['judge']['payload'] => ({ seen: [...payload.seen, (change as { add: string }).add] })

describe('order of hooks', () => {
  it('is phase, then priority with high first, then registration, whatever the order of registration', async () => {
    const registration = fc.record({
      phase: fc.constantFrom(...phases),
      priority: fc.integer({ min: -3, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(registration, { maxLength: 12 }), async (registrations) => {
        const bus = makeBus()
        for (const [index, options] of registrations.entries()) {
          bus.on('judge', () => ({ action: 'modify', add: String(index) }), {
            ...options,
            kind: 'transform',
          })
        }
        const expected = registrations
          .map((options, index) => ({ ...options, index }))
          .toSorted(
            (a, b) =>
              phases.indexOf(a.phase) - phases.indexOf(b.phase) ||
              b.priority - a.priority ||
              a.index - b.index,
          )
          .map(({ index }) => String(index))
        const { payload } = await bus.run('judge', { seen: [] }, { apply })
        expect(payload.seen).toEqual(expected)
      }),
    )
  })

  it('runs all transforms before all gates, and gives the gates the final payload', async () => {
    const bus = makeBus()
    const seen: unknown[] = []
    bus.on('judge', (payload) => void seen.push(payload.seen), { phase: 'early' })
    bus.on('judge', () => ({ action: 'modify', add: 'x' }), { kind: 'transform', phase: 'late' })
    await bus.run('judge', { seen: [] }, { apply })
    expect(seen).toEqual([['x']])
  })

  it('lets block win over ask and ask over allow, in every order', async () => {
    const rank = { allow: 0, ask: 1, block: 2 } as const
    const action = fc.constantFrom('allow', 'ask', 'block')
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 6 }), async (actions) => {
        const bus = makeBus()
        for (const each of actions) bus.on('judge', () => ({ action: each }))
        const strongest = actions.toSorted((a, b) => rank[b] - rank[a])[0]
        expect((await bus.run('judge', { seen: [] })).decision).toBe(strongest)
      }),
    )
  })

  it('asks every gate, also after a block, and shows the text of the first', async () => {
    const bus = makeBus()
    let asked = 0
    bus.on('judge', () => ({ action: 'block', message: 'first' }))
    bus.on('judge', () => {
      asked++
      return { action: 'block', message: 'second' }
    })
    const outcome = await bus.run('judge', { seen: [] })
    expect(outcome.blockedBy?.message).toBe('first')
    expect(asked).toBe(1)
  })

  it('leaves a handler out once its disposer was called', async () => {
    const bus = makeBus()
    const off = bus.on('judge', () => ({ action: 'block' }))
    off()
    expect((await bus.run('judge', { seen: [] })).decision).toBe('none')
    expect(bus.has('judge')).toBe(false)
  })

  it('asks only the hooks whose glob covers the subject', async () => {
    const bus = makeBus()
    bus.on('judge', () => ({ action: 'block' }), { match: 'mcp::*::write_?' })
    const decide = async (subject: string): Promise<string> =>
      (await bus.run('judge', { seen: [] }, { subject })).decision
    expect(await decide('mcp::files::write_a')).toBe('block')
    expect(await decide('mcp::files::write_ab')).toBe('none')
    expect(await decide('local::write_a')).toBe('none')
  })

  it('answers at once where no handler returns a promise', () => {
    const bus = makeBus()
    bus.on('judge', () => ({ action: 'allow' }))
    expect(bus.fire('judge', { seen: [] })).toMatchObject({ decision: 'allow' })
  })

  it('refuses options that do not fit, naming the option', () => {
    const bus = makeBus()
    const register = (options: unknown): (() => void) =>
      bus.on('judge', () => {}, options as HookOptions)
    expect(() => register({ kind: 'guard' })).toThrow(/kind is "guard"; expected transform, gate/)
    expect(() => register({ phase: 'first' })).toThrow(/phase is "first"/)
    expect(() => register({ priority: Number.NaN })).toThrow(/priority/)
    expect(() => register({ timeoutMs: -1 })).toThrow(/timeoutMs/)
    expect(() => bus.on('judge', 'no' as never)).toThrow(/the handler is "no"; expected a function/)
  })
})
