import { checkFiring } from './check-firing.ts'
import { aBound, aFunction, checkOptions, type Known } from './check-options.ts'
import { fire } from './fire.ts'
import { createHandlers } from './handlers.ts'
import type { InvokeSettings } from './invoke.ts'
import { createObservers } from './observers.ts'
import { selectPlan } from './plan.ts'
import { makeRegistration } from './registration.ts'
import type {
  EventMap,
  HookBus,
  HookBusOptions,
  HookClock,
  HookOutcome,
  HookRunOptions,
} from './types.ts'

const systemClock: HookClock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}

const clockMembers = ['now', 'setTimeout', 'clearTimeout'] as const

const busOptions: Known<HookBusOptions> = {
  timeoutMs: aBound,
  clock: {
    fits: `an object with the functions ${clockMembers.join(', ')}`,
    test: (value) =>
      typeof value === 'object' &&
      value !== null &&
      clockMembers.every((name) => aFunction.test((value as Partial<HookClock>)[name])),
  },
}

/**
 * Makes a typed hook bus (R4.2–R4.4).
 *
 * Handlers run in a determined order: phase, priority, registration. Transforms change the payload one after
 * the other, then all gates decide on the final one (block > ask > allow), around hooks wrap a function, and
 * observers watch off the path. Faults follow the rule that `declare` gives the event.
 *
 * @throws TypeError or RangeError for what does not fit, here and in `on`, `declare` and `fire` of the bus; `run` rejects.
 *
 * @example
 * const bus = createHookBus<{ save: { payload: { name: string }; gate: { action: 'block' } | void } }>()
 * bus.declare('save', { kind: 'gate', fault: 'block' })
 * bus.on('save', ({ name }) => (name === '' ? { action: 'block' } : undefined))
 */
export function createHookBus<Events extends EventMap<Events>>(
  options: HookBusOptions = {},
): HookBus<Events> {
  checkOptions('createHookBus', options, busOptions)
  const settings: InvokeSettings = {
    clock: options.clock ?? systemClock,
    timeoutMs: options.timeoutMs ?? 5000,
  }
  // What the maker of the bus says of time counts for every event.
  const handlers = createHandlers(settings, options.timeoutMs !== undefined)
  const observers = createObservers()
  let sequence = 0

  function fireEvent<Payload extends object>(
    event: string,
    payload: Payload,
    run: HookRunOptions<Payload> = {},
  ): HookOutcome<Payload> | Promise<HookOutcome<Payload>> {
    checkFiring(event, payload, run)
    return fire(selectPlan(handlers.planOf(event), run), payload, run, settings, observers)
  }

  return {
    on: (event, handler, hookOptions = {}) =>
      handlers.add(event, makeRegistration(event, handler, hookOptions, ++sequence)),
    declare: handlers.declare,
    fire: fireEvent,
    run: async (event, payload, run) => fireEvent(event, payload, run),
    has: (event) => handlers.planOf(event) !== undefined,
    list: handlers.list,
    idle: () => observers.idle(),
  }
}
