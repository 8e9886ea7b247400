import { describe, expect, it } from 'vitest'

import { createHookBus, type HookBus } from '../src/index.ts'
import { handClock } from './clock.ts'

type Change =
  | { readonly action: 'modify'; readonly text: string }
  | { readonly action: 'block' }
  | void
type Events = {
  guard: {
    payload: { text: string }
    transform: Change
    gate: { action: 'allow' | 'block' | 'ask' } | void
  }
  polish: { payload: { text: string }; transform: Change }
  watch: { payload: { text: string } }
}

const never = new Promise<never>(() => {})
const apply = (_: { text: string }, change: unknown): { text: string } => ({
  text: (change as { text: string }).text,
})

function makeBus(clock = handClock()): HookBus<Events> {
  const bus = createHookBus<Events>({ clock, timeoutMs: 100 })
  bus.declare('guard', { kind: 'gate', fault: 'block' })
  bus.declare('polish', { kind: 'transform', fault: 'keep' })
  bus.declare('watch', { kind: 'observe', fault: 'ignore' })
  return bus
}

/** Promises that are settled already get no timer: it is set when they have had their turn. */
const timerIsSet = Promise.resolve()

describe('a gate that fails', () => {
  it('blocks when it throws, rejects, or answers with something that is no decision', async () => {
    for (const answer of [
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
      () => 'block',
      () => ['block'],
      () => ({ action: 'allows' }),
      () => ({}),
      () => 7,
      () => ({ action: 1n }),
      () => ({ action: 'allow', mesage: 'x' }),
      () => ({ action: 'ask', reason: 'x' }),
      () => {
        const action: unknown[] = []
        action.push(action)
        return { action }
      },
    ]) {
      const bus = makeBus()
      bus.on('guard', answer as never, { id: 'g' })
      const { decision, blockedBy } = await bus.run('guard', { text: '' })
      expect(decision).toBe('block')
      expect(blockedBy).toMatchObject({ hook: 'g', fault: expect.any(Error) as Error })
    }
  })

  it('blocks when it does not answer in time, and its late answer counts for nothing', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    bus.on('guard', () => never, { id: 'slow' })
    const run = bus.run('guard', { text: '' })
    await timerIsSet
    clock.advance(100)
    expect((await run).blockedBy?.fault).toMatchObject({
      message: expect.stringMatching(/slow.*100 ms/) as string,
    })
  })

  it('has the time besides that a person took inside it', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    bus.on('guard', () => never)
    // Was waited for before; is waited for from the 50th millisecond to the 450th.
    const waitedMs = (): number => 7 + Math.min(400, Math.max(0, clock.now() - 50))
    let isOver = false
    const run = bus.run('guard', { text: '' }, { waitedMs })
    void run.then(() => (isOver = true))
    await timerIsSet
    for (const ms of [100, 100, 100, 100]) {
      clock.advance(ms)
      await Promise.resolve()
    }
    expect(isOver).toBe(false)
    for (const ms of [100, 100, 100]) clock.advance(ms)
    expect((await run).decision).toBe('block')
    expect(clock.armed).toBeLessThan(8)
  })

  it('is asked again after one timeout, and denies at once after three', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    let asked = 0
    bus.on('guard', () => {
      asked++
      return never
    })
    for (let run = 0; run < 3; run++) {
      const outcome = bus.run('guard', { text: '' })
      await timerIsSet
      clock.advance(100)
      expect((await outcome).decision).toBe('block')
    }
    const fourth = bus.fire('guard', { text: '' })
    expect(fourth).toMatchObject({ decision: 'block' })
    expect(asked).toBe(3)
    clock.advance(60_001)
    const later = bus.run('guard', { text: '' })
    await timerIsSet
    clock.advance(100)
    await later
    expect(asked).toBe(4)
  })

  it('has no timer where its promise is settled already', async () => {
    const clock = handClock()
    let set = 0
    const bus = makeBus({ ...clock, setTimeout: (run, ms) => (set++, clock.setTimeout(run, ms)) })
    bus.on('guard', async () => ({ action: 'allow' }))
    await bus.run('guard', { text: '' })
    expect(set).toBe(0)
  })

  it('has no timer where it answers without a promise', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    bus.on('guard', () => ({ action: 'allow' }))
    await bus.run('guard', { text: '' })
    expect(clock.armed).toBe(0)
  })

  it('has no bound where its timeout is 0', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    bus.on('guard', async () => ({ action: 'allow' as const }), { timeoutMs: 0 })
    expect((await bus.run('guard', { text: '' })).decision).toBe('allow')
    expect(clock.armed).toBe(0)
  })
})

describe('a transform that fails', () => {
  it('blocks where the event guards, and the gates are not asked about what is not settled', async () => {
    const bus = makeBus()
    let asked = false
    bus.on(
      'guard',
      () => {
        throw new Error('x')
      },
      { kind: 'transform', id: 't' },
    )
    bus.on('guard', () => void (asked = true))
    expect((await bus.run('guard', { text: '' }, { apply })).blockedBy?.hook).toBe('t')
    expect(asked).toBe(false)
  })

  it('is one that blocks with a field that no decision has', async () => {
    const bus = makeBus()
    const slip = { action: 'block', mesage: 'no' } as const
    bus.on('guard', () => slip, { kind: 'transform' })
    const { decision, blockedBy } = await bus.run('guard', { text: 'a' }, { apply })
    expect(decision).toBe('block')
    expect(blockedBy?.fault).toMatchObject({
      message: 'hook "guard#1" returned "mesage"; expected only action, message, rule',
    })
  })

  it('keeps the value before it where the event only polishes', async () => {
    const bus = makeBus()
    bus.on('polish', () => ({ action: 'modify', text: 'one' }))
    bus.on('polish', () => {
      throw new Error('x')
    })
    bus.on('polish', () => 5 as never)
    const outcome = await bus.run('polish', { text: 'zero' }, { apply })
    expect(outcome.payload.text).toBe('one')
    expect(outcome.trace.map(({ fault }) => fault !== undefined)).toEqual([false, true, true])
  })

  it('has the value withheld where it is critical', async () => {
    const bus = makeBus()
    bus.on(
      'polish',
      () => {
        throw new Error('x')
      },
      { critical: true, id: 'redact' },
    )
    expect((await bus.run('polish', { text: '' }, { apply })).withheldBy?.hook).toBe('redact')
  })

  it('is at fault when its change cannot be applied, whatever that throws', async () => {
    const mute = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error -- that is what is asked about
      throw undefined
    }
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the same
    for (const given of [mute, (): Promise<never> => Promise.reject(undefined)]) {
      const bus = makeBus()
      bus.on('guard', () => ({ action: 'modify', text: 'y' }), { kind: 'transform', id: 't' })
      const outcome = await bus.run('guard', { text: '' }, { apply: given })
      expect(outcome.blockedBy).toEqual({ hook: 't', fault: new Error('it threw nothing') })
    }
  })

  it('is at fault when its change cannot be applied', async () => {
    const bus = makeBus()
    bus.on('guard', () => ({ action: 'modify', text: 'y' }), { kind: 'transform', id: 't' })
    const refuse = (): never => {
      throw new TypeError('does not fit')
    }
    expect(
      (await bus.run('guard', { text: '' }, { apply: refuse })).blockedBy?.fault,
    ).toMatchObject({
      message: 'does not fit',
    })
  })
})

describe('the trace', () => {
  it('says the cause of a fault too, which no message does that a model may read', async () => {
    const bus = makeBus()
    bus.on('guard', () => {
      throw new Error('The guard is down', { cause: new Error('connect ECONNREFUSED') })
    })
    const { trace, blockedBy } = await bus.run('guard', { text: '' })
    expect(trace[0]?.fault).toBe('The guard is down (connect ECONNREFUSED)')
    expect(blockedBy?.fault).toMatchObject({ message: 'The guard is down' })
  })
})

describe('an observer', () => {
  it('runs off the path, and idle waits for it', async () => {
    const bus = makeBus()
    const seen: string[] = []
    bus.on('watch', async ({ text }) => {
      await Promise.resolve()
      seen.push(text)
    })
    void bus.fire('watch', { text: 'a' })
    expect(seen).toEqual([])
    await bus.idle()
    expect(seen).toEqual(['a'])
  })

  it('harms nobody when it throws or rejects', async () => {
    const bus = makeBus()
    bus.on('watch', () => {
      throw new Error('x')
    })
    bus.on('watch', () => Promise.reject(new Error('x')))
    expect((await bus.run('watch', { text: '' })).decision).toBe('none')
    await bus.idle()
  })
})

describe('audit only', () => {
  it('records what a hook would have done and does nothing', async () => {
    const bus = makeBus()
    bus.on('guard', () => ({ action: 'block' }), { auditOnly: true })
    bus.on('guard', () => ({ action: 'modify', text: 'y' }), { kind: 'transform', auditOnly: true })
    bus.on(
      'guard',
      () => {
        throw new Error('x')
      },
      { auditOnly: true },
    )
    const outcome = await bus.run('guard', { text: 'x' }, { apply })
    expect(outcome.decision).toBe('none')
    expect(outcome.payload.text).toBe('x')
    expect(outcome.trace.map(({ decision }) => decision)).toEqual([
      'would modify',
      'would block',
      undefined,
    ])
  })
})
