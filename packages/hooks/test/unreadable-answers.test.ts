import { describe, expect, it } from 'vitest'

import { createHookBus, type FaultRule, type HookBus, type HookKind } from '../src/index.ts'

type Events = { event: { payload: { args: unknown } } }

function busOf(kind: HookKind, fault: FaultRule): HookBus<Events> {
  const bus = createHookBus<Events>()
  bus.declare('event', { kind, fault })
  return bus
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const getter = (name: string): object =>
  Object.defineProperty({}, name, {
    get() {
      throw new Error('nobody reads this')
    },
  })

const answers: readonly (readonly [what: string, give: () => unknown])[] = [
  ['a proxy that was revoked', revoked],
  ['a promise of one', async () => revoked()],
  ['a then that throws', () => getter('then')],
  ['an action that throws', () => getter('action')],
  ['an action without JSON', () => ({ action: 5n })],
]

describe.each(answers)('a hook that answers %s', (_what, give) => {
  it('refuses as a gate', async () => {
    const bus = busOf('gate', 'block')
    bus.on('event', give as never)
    const outcome = await bus.run('event', { args: 1 })
    expect(outcome.blockedBy?.fault).toBeInstanceOf(Error)
  })

  it('changes nothing as a transform', async () => {
    const bus = busOf('transform', 'ignore')
    bus.on('event', give as never)
    const outcome = await bus.run('event', { args: 1 }, { apply: () => ({ args: 2 }) })
    expect(outcome.payload).toEqual({ args: 1 })
    expect(outcome.trace[0]?.fault).toBeDefined()
  })

  it('is nobody’s as an observer', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    const bus = busOf('observe', 'ignore')
    bus.on('event', give as never)
    await bus.run('event', { args: 1 })
    await bus.idle()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
