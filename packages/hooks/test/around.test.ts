import { describe, expect, it } from 'vitest'

import { createHookBus, type HookBus } from '../src/index.ts'
import { handClock } from './clock.ts'

interface Output {
  readonly data: unknown
}
type Events = { execute: { payload: { next(): Promise<Output> }; around: Output } }

function makeBus(clock = handClock()): HookBus<Events> {
  const bus = createHookBus<Events>({ clock, timeoutMs: 100 })
  bus.declare('execute', { kind: 'around', fault: 'block' })
  return bus
}

describe('around hooks', () => {
  it('wrap the function, the first in order outermost', async () => {
    const bus = makeBus()
    const log: string[] = []
    for (const name of ['outer', 'inner']) {
      bus.on('execute', async ({ next }) => {
        log.push(`${name} in`)
        const output = await next()
        log.push(`${name} out`)
        return output
      })
    }
    const outcome = await bus.run('execute', {
      next: async () => {
        log.push('tool')
        return { data: 1 }
      },
    })
    expect(outcome.value).toEqual({ data: 1 })
    expect(log).toEqual(['outer in', 'inner in', 'tool', 'inner out', 'outer out'])
  })

  it('may answer in place of the tool', async () => {
    const bus = makeBus()
    let ran = false
    bus.on('execute', () => ({ data: 'cached' }))
    const outcome = await bus.run('execute', {
      next: async () => {
        ran = true
        return { data: 'fresh' }
      },
    })
    expect(outcome.value).toEqual({ data: 'cached' })
    expect(ran).toBe(false)
  })

  it.each([[undefined], [null]])(
    'are at fault when they reject with nothing (%s), before next and after it',
    async (nothing) => {
      const bus = makeBus()
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is asked about
      const mute = (): Promise<never> => Promise.reject(nothing)
      const remove = bus.on('execute', mute, { id: 'mute' })
      const before = await bus.run('execute', { next: async () => ({ data: 1 }) })
      expect(before.blockedBy).toEqual({ hook: 'mute', fault: new Error('it threw nothing') })
      remove()
      bus.on('execute', async ({ next }) => (await next(), mute()))
      const after = await bus.run('execute', { next: async () => ({ data: 1 }) })
      expect(after).toMatchObject({ value: { data: 1 }, trace: [{ fault: 'it threw nothing' }] })
    },
  )

  it('block when they fail before next, also when an outer hook makes a value of it', async () => {
    const bus = makeBus()
    bus.on('execute', async ({ next }) => {
      try {
        return await next()
      } catch {
        return { data: 'all is well' }
      }
    })
    bus.on(
      'execute',
      () => {
        throw new Error('x')
      },
      { id: 'inner' },
    )
    const outcome = await bus.run('execute', { next: async () => ({ data: 1 }) })
    expect(outcome.blockedBy?.hook).toBe('inner')
  })

  it('keep what the tool gave when they fail after next', async () => {
    const bus = makeBus()
    bus.on('execute', async ({ next }) => {
      await next()
      throw new Error('x')
    })
    bus.on('execute', async ({ next }) => {
      await next()
      return undefined as never
    })
    expect((await bus.run('execute', { next: async () => ({ data: 1 }) })).value).toEqual({
      data: 1,
    })
  })

  it('pass on what the tool throws', async () => {
    const bus = makeBus()
    const error = new Error('bad value')
    bus.on('execute', ({ next }) => next())
    const outcome = await bus.run('execute', { next: () => Promise.reject(error) })
    expect(outcome.thrown?.error).toBe(error)
    expect(outcome.blockedBy).toBeUndefined()
  })

  it('may call next once', async () => {
    const bus = makeBus()
    let runs = 0
    bus.on('execute', async ({ next }) => {
      await next()
      return next()
    })
    const outcome = await bus.run('execute', { next: async () => ({ data: ++runs }) })
    expect(runs).toBe(1)
    expect(outcome.value).toEqual({ data: 1 })
  })

  it('get a rejected promise of a next that comes twice or late, and need not look at it', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    const bus = makeBus()
    let kept: (() => Promise<Output>) | undefined
    let twice: Promise<Output> | undefined
    bus.on('execute', async ({ next }) => {
      kept = next
      const output = await next()
      twice = next()
      return output
    })
    const outcome = await bus.run('execute', { next: async () => ({ data: 1 }) })
    expect(outcome.value).toEqual({ data: 1 })
    const late = kept!()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    await expect(twice).rejects.toThrow(/called next twice/)
    await expect(late).rejects.toThrow(/after it had failed or answered/)
  })

  it('are not charged the time of the tool, and cannot start it once they were late', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    let finish: (output: Output) => void = () => {}
    bus.on('execute', ({ next }) => next())
    const slow = bus.run('execute', { next: () => new Promise((resolve) => (finish = resolve)) })
    clock.advance(10_000)
    finish({ data: 'slow' })
    expect((await slow).value).toEqual({ data: 'slow' })

    const late = makeBus(clock)
    let started = false
    let go: () => void = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    let second: Promise<unknown> = Promise.resolve()
    late.on('execute', async ({ next }) => {
      await gate
      second = Promise.resolve().then(next)
      return second as Promise<Output>
    })
    const run = late.run('execute', {
      next: async () => {
        started = true
        return { data: 1 }
      },
    })
    clock.advance(100)
    expect((await run).blockedBy).toBeDefined()
    go()
    await gate
    await Promise.resolve()
    await expect(second).rejects.toThrow(/after it had failed/)
    expect(started).toBe(false)
  })

  it('give the value of next where nobody wraps', async () => {
    expect((await makeBus().run('execute', { next: async () => ({ data: 1 }) })).value).toEqual({
      data: 1,
    })
  })
})

describe('an around hook that keeps next', () => {
  it('cannot start the tool once it has answered in its place', async () => {
    const bus = makeBus()
    let ran = 0
    let kept: (() => Promise<Output>) | undefined
    let goOn = (): void => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    bus.on('execute', async ({ next }) => {
      const output = await next()
      await held
      return output
    })
    bus.on('execute', ({ next }) => {
      kept = next
      return { data: 'instead' }
    })
    const running = bus.run('execute', {
      next: async () => {
        ran++
        return { data: 1 }
      },
    })
    await Promise.resolve()
    await expect(kept!()).rejects.toThrow('after it had failed or answered')
    goOn()
    expect((await running).value).toEqual({ data: 'instead' })
    await expect(kept!()).rejects.toThrow('after it had failed or answered')
    expect(ran).toBe(0)
  })
})

describe('a hook that is no around hook', () => {
  it.each(['observe', 'gate', 'transform'] as const)(
    'of kind %s does not run the tool, whatever it does with next',
    async (kind) => {
      const bus = makeBus()
      const faults: unknown[] = []
      bus.on(
        'execute',
        async ({ next }) => {
          await next().catch((error: unknown) => faults.push(error))
          return undefined as never
        },
        { kind },
      )
      bus.on('execute', ({ next }) => next())
      let ran = 0
      const outcome = await bus.run('execute', { next: async () => ({ data: ++ran }) })
      await bus.idle()
      expect(outcome.value).toEqual({ data: 1 })
      expect(ran).toBe(1)
      expect(String(faults)).toContain('only an around hook may call next')
    },
  )
})

describe('a hook that answers without waiting for the tool', () => {
  it('is not late when the tool ends', async () => {
    const clock = handClock()
    const bus = makeBus(clock)
    bus.on('execute', ({ next }) => {
      void next()
      return { data: 'cached' }
    })
    for (let time = 0; time < 5; time++) {
      const outcome = await bus.run('execute', { next: async () => ({ data: 'fresh' }) })
      expect(outcome.decision).toBe('none')
      await Promise.resolve()
      clock.advance(1000)
    }
  })
})

describe('a payload of a class', () => {
  it('is whole for an around hook, with what it makes when it is looked at', async () => {
    class Payload {
      readonly #secret = 7
      readonly callId = 'c1'
      readonly next = async (): Promise<Output> => ({ data: 1 })
      get lazy(): number {
        return this.#secret
      }
      twice(): number {
        return this.#secret * 2
      }
    }
    const bus = createHookBus<{ execute: { payload: Payload; around: Output } }>()
    bus.declare('execute', { kind: 'around', fault: 'block' })
    bus.on('execute', (payload) => ({ data: [payload.callId, payload.lazy, payload.twice()] }))
    const outcome = await bus.run('execute', new Payload())
    expect(outcome.value).toEqual({ data: ['c1', 7, 14] })
  })
})

describe('a payload whose class has next', () => {
  it('is wrapped as any other', async () => {
    class Payload {
      readonly callId = 'c1'
      async next(): Promise<Output> {
        return { data: 1 }
      }
    }
    const bus = createHookBus<{ execute: { payload: Payload; around: Output } }>()
    bus.declare('execute', { kind: 'around', fault: 'block' })
    bus.on('execute', async ({ next, callId }) => ({ data: [callId, (await next()).data] }))
    const outcome = await bus.run('execute', new Payload())
    expect(outcome.value).toEqual({ data: ['c1', 1] })
  })
})

describe('a payload with a "next" that is no function', () => {
  it('is one of an event without anything to wrap', async () => {
    const bus = createHookBus<{ turned: { payload: { next: string } } }>()
    const seen: string[] = []
    bus.on('turned', ({ next }) => void seen.push(next))
    const outcome = await bus.run('turned', { next: 'page 2' })
    expect(outcome).toEqual({ payload: { next: 'page 2' }, decision: 'none', asks: [], trace: [] })
    await bus.idle()
    expect(seen).toEqual(['page 2'])
  })
})
