import { deepFreeze } from './freeze.ts'
import type { InvokeSettings } from './invoke.ts'
import type { Observers } from './observers.ts'
import { isAroundAlone, type Plan } from './plan.ts'
import { isPromiseLike } from './promise-like.ts'
import type { Registration } from './registration.ts'
import { runAround } from './run-around.ts'
import { runGates } from './run-gates.ts'
import { outcomeOf, startRun, type RunState } from './run-state.ts'
import { runTransforms } from './run-transforms.ts'
import type { HookOutcome, HookRunOptions } from './types.ts'
import { withNext } from './with-next.ts'

/** The stages of one firing: transforms, gates, then observers off the path, then around hooks. */
export function fire<Payload extends object>(
  plan: Plan | undefined,
  payload: Payload,
  run: HookRunOptions<Payload>,
  settings: InvokeSettings,
  observers: Observers,
): HookOutcome<Payload> | Promise<HookOutcome<Payload>> {
  const innermost = innermostOf(payload)
  if (plan === undefined) {
    const state = startRun(payload, 'ignore', settings, run)
    return innermost === undefined ? outcomeOf(state) : executeAround(state, [], innermost)
  }
  const own = innermost === undefined || isAroundAlone(plan) ? payload : withNext(payload, notYours)
  const frozen = run.frozen === true && own === payload ? payload : deepFreeze(own)
  const state = startRun(frozen, plan.rule.fault, plan.settings, run)
  const judged = judge(state, plan, run)
  return judged instanceof Promise
    ? judged.then(() => conclude(state, plan, innermost, observers))
    : conclude(state, plan, innermost, observers)
}

/** The function that around hooks wrap, where the event is about one; `next` may also be some other word of a payload. */
function innermostOf(payload: { readonly next?: unknown }): (() => Promise<unknown>) | undefined {
  return typeof payload.next === 'function' ? (payload.next as () => Promise<unknown>) : undefined
}

/** In place of the function for who only watches or decides: it would run once more. */
async function notYours(): Promise<never> {
  throw new Error('only an around hook may call next')
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

function conclude<Payload extends object>(
  state: RunState<Payload>,
  plan: Plan,
  innermost: (() => Promise<unknown>) | undefined,
  observers: Observers,
): HookOutcome<Payload> | Promise<HookOutcome<Payload>> {
  tellAll(observers, plan.observe, state)
  if (innermost === undefined || state.blockedBy !== undefined) return outcomeOf(state)
  return executeAround(state, plan.around, innermost)
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
