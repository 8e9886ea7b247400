import { checkFiring } from './check-firing.ts'
import { aBound, aFunction, checkOptions, type Known } from './check-options.ts'
import { deepFreeze } from './freeze.ts'
import { matchesGlob } from './glob.ts'
import type { InvokeSettings } from './invoke.ts'
import { createObservers, type Observers } from './observers.ts'
import { isPromiseLike } from './promise-like.ts'
import { byOrder, checkRule, kinds, makeRegistration, type Registration } from './registration.ts'
import { runAround } from './run-around.ts'
import { runGates } from './run-gates.ts'
import { outcomeOf, startRun, type RunState } from './run-state.ts'
import { runTransforms } from './run-transforms.ts'
import type {
  EventMap,
  EventRule,
  HookBus,
  HookBusOptions,
  HookClock,
  HookKind,
  HookOutcome,
  HookRunOptions,
} from './types.ts'
import { withNext } from './with-next.ts'

/** The handlers of one event by kind, in order; made anew when one comes or goes. */
type Plan = { readonly [K in HookKind]: readonly Registration[] } & {
  readonly rule: EventRule
  readonly settings: InvokeSettings
  /** Whether some handler is only for some subjects. */
  readonly selective: boolean
}

const undeclared: EventRule = { kind: 'observe', fault: 'ignore' }

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
  const rules = new Map<string, EventRule>()
  const registrations = new Map<string, readonly Registration[]>()
  const plans = new Map<string, Plan>()
  const observers = createObservers()
  let sequence = 0

  function planOf(event: string): Plan | undefined {
    const known = plans.get(event)
    if (known !== undefined) return known
    const listed = registrations.get(event)
    if (listed === undefined || listed.length === 0) return undefined
    const rule = rules.get(event) ?? undeclared
    const plan = makePlan(listed, rule, settingsOf(rule))
    plans.set(event, plan)
    return plan
  }

  /** What the maker of the bus says of time counts for every event. */
  function settingsOf({ timeoutMs }: EventRule): InvokeSettings {
    return timeoutMs === undefined || options.timeoutMs !== undefined
      ? settings
      : { ...settings, timeoutMs }
  }

  function fire<Payload extends object>(
    event: string,
    payload: Payload,
    run: HookRunOptions<Payload> = {},
  ): HookOutcome<Payload> | Promise<HookOutcome<Payload>> {
    checkFiring(event, payload, run)
    const plan = selectPlan(planOf(event), run)
    const innermost = innermostOf(payload)
    if (plan === undefined) {
      const state = startRun(payload, 'ignore', settings, run)
      return innermost === undefined ? outcomeOf(state) : executeAround(state, [], innermost)
    }
    const own =
      innermost === undefined || isAroundAlone(plan) ? payload : withNext(payload, notYours)
    const frozen = run.frozen === true && own === payload ? payload : deepFreeze(own)
    const state = startRun(frozen, plan.rule.fault, plan.settings, run)
    const judged = judge(state, plan, run)
    return judged instanceof Promise
      ? concludeAfter(judged, state, plan, innermost)
      : conclude(state, plan, innermost)
  }

  function concludeAfter<Payload extends object>(
    judged: Promise<void>,
    state: RunState<Payload>,
    plan: Plan,
    innermost: (() => Promise<unknown>) | undefined,
  ): Promise<HookOutcome<Payload>> {
    return judged.then(() => conclude(state, plan, innermost))
  }

  function conclude<Payload extends object>(
    state: RunState<Payload>,
    plan: Plan,
    innermost: (() => Promise<unknown>) | undefined,
  ): HookOutcome<Payload> | Promise<HookOutcome<Payload>> {
    tellAll(observers, plan.observe, state)
    if (innermost === undefined || state.blockedBy !== undefined) return outcomeOf(state)
    return executeAround(state, plan.around, innermost)
  }

  return {
    on(event, handler, hookOptions = {}) {
      const registration = makeRegistration(event, handler, hookOptions, ++sequence)
      registrations.set(
        event,
        [...(registrations.get(event) ?? []), registration].toSorted(byOrder),
      )
      plans.delete(event)
      return () => {
        const rest = (registrations.get(event) ?? []).filter((other) => other !== registration)
        registrations.set(event, rest)
        plans.delete(event)
      }
    },
    declare(event, rule) {
      checkRule(event, rule)
      rules.set(event, rule)
      plans.delete(event)
    },
    fire,
    run: async (event, payload, run) => fire(event, payload, run),
    has: (event) => planOf(event) !== undefined,
    list() {
      const kindOf = (event: string): HookKind => (rules.get(event) ?? undeclared).kind
      return [...registrations.values()].flat().map(({ id, event, options: given }) => ({
        kind: kindOf(event),
        ...given,
        id,
        event,
      }))
    },
    idle: () => observers.idle(),
  }
}

/** The function that around hooks wrap, where the event is about one; `next` may also be some other word of a payload. */
function innermostOf(payload: { readonly next?: unknown }): (() => Promise<unknown>) | undefined {
  return typeof payload.next === 'function' ? (payload.next as () => Promise<unknown>) : undefined
}

function isAroundAlone({ transform, gate, observe }: Plan): boolean {
  return transform.length === 0 && gate.length === 0 && observe.length === 0
}

/** In place of the function for who only watches or decides: it would run once more. */
async function notYours(): Promise<never> {
  throw new Error('only an around hook may call next')
}

function makePlan(
  registrations: readonly Registration[],
  rule: EventRule,
  settings: InvokeSettings,
): Plan {
  const of = (kind: HookKind): readonly Registration[] =>
    registrations.filter((registration) => (registration.options.kind ?? rule.kind) === kind)
  return {
    rule,
    settings,
    selective: registrations.some(
      ({ options }) => options.match !== undefined || options.scope !== undefined,
    ),
    transform: of('transform'),
    gate: of('gate'),
    observe: of('observe'),
    around: of('around'),
  }
}

/** Leaves out the handlers whose `match` or `scope` does not cover what happens. */
function selectPlan(plan: Plan | undefined, run: About): Plan | undefined {
  if (plan === undefined || !plan.selective) return plan
  const covers = ({ options }: Registration): boolean =>
    isWithin(run.scope, options.scope) && isAbout(run, options.match)
  if (kinds.every((kind) => plan[kind].every(covers))) return plan
  const selected = makePlan(
    kinds.flatMap((kind) => plan[kind].filter(covers)),
    plan.rule,
    plan.settings,
  )
  return kinds.every((kind) => selected[kind].length === 0) ? undefined : selected
}

type About = Pick<HookRunOptions<object>, 'subject' | 'subjects' | 'scope'>

function isAbout({ subject, subjects }: About, match: string | undefined): boolean {
  if (match === undefined) return true
  if (subjects !== undefined) return subjects.some((one) => matchesGlob(match, one))
  return subject !== undefined && matchesGlob(match, subject)
}

function isWithin(place: string | undefined, scope: string | undefined): boolean {
  return scope === undefined || place === scope || place?.startsWith(`${scope}/`) === true
}

function judge<Payload extends object>(
  state: RunState<Payload>,
  plan: Plan,
  run: HookRunOptions<Payload>,
): void | Promise<void> {
  if (plan.transform.length === 0 || run.settled === true) return ask(state, plan)
  const transformed = runTransforms(state, plan.transform, run)
  return isPromiseLike(transformed)
    ? Promise.resolve(transformed).then(() => ask(state, plan))
    : ask(state, plan)
}

function ask<Payload extends object>(state: RunState<Payload>, plan: Plan): void | Promise<void> {
  if (state.blockedBy === undefined && plan.gate.length > 0) return runGates(state, plan.gate)
}

function tellAll<Payload extends object>(
  observers: Observers,
  registrations: readonly Registration[],
  state: RunState<Payload>,
): void {
  for (const registration of registrations) {
    observers.tell(registration, state)
  }
}

async function executeAround<Payload extends object>(
  state: RunState<Payload>,
  registrations: readonly Registration[],
  innermost: () => Promise<unknown>,
): Promise<HookOutcome<Payload>> {
  try {
    const value = await runAround(state, registrations, innermost)
    return { ...outcomeOf(state), value }
  } catch (error) {
    const outcome = outcomeOf(state)
    return outcome.blockedBy === undefined ? { ...outcome, thrown: { error } } : outcome
  }
}
