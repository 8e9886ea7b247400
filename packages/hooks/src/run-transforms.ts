import { deepFreeze } from './freeze.ts'
import { faultOf, invoke, type Answer } from './invoke.ts'
import { isPromiseLike } from './promise-like.ts'
import type { Registration } from './registration.ts'
import { block, checkFields, malformed, note, type RunState } from './run-state.ts'
import type { HookRunOptions } from './types.ts'

/**
 * Asks the transforms in order; each sees the payload that the one before left. A block, or a fault where the
 * event's faults block, ends the chain: what would run is not settled, so nobody else judges it.
 */
export function runTransforms<Payload extends object>(
  state: RunState<Payload>,
  registrations: readonly Registration[],
  run: HookRunOptions<Payload>,
  from = 0,
): void | Promise<void> {
  for (let index = from; index < registrations.length; index++) {
    if (state.blockedBy !== undefined) return
    const step = runOne(state, registrations[index]!, run)
    if (isPromiseLike(step)) {
      return Promise.resolve(step).then(() => runTransforms(state, registrations, run, index + 1))
    }
  }
}

function runOne<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  run: HookRunOptions<Payload>,
): void | Promise<void> {
  const startedAt = state.settings.clock.now()
  const answer = invoke(registration, state)
  if (!isPromiseLike(answer)) return take(state, registration, run, startedAt, answer)
  return answer.then((settled) => take(state, registration, run, startedAt, settled))
}

function take<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  run: HookRunOptions<Payload>,
  startedAt: number,
  answer: Answer,
): void | Promise<void> {
  if (!answer.ok) return fail(state, registration, startedAt, answer.fault)
  const change = answer.value
  if (change === undefined || change === null) {
    note(state, registration, 'transform', startedAt)
    return
  }
  // Each field is read once: an answer may be a foreign object, whose getters may throw.
  let action: unknown
  let message: unknown
  try {
    ;({ action, message } = change as { action?: unknown; message?: unknown })
    if (action === 'block') checkFields(registration, action, change)
  } catch (thrown) {
    return fail(state, registration, startedAt, faultOf(thrown))
  }
  if (action === 'block' && state.fault === 'block') {
    note(state, registration, 'transform', startedAt, 'block')
    if (registration.options.auditOnly !== true) block(state, blockOf(registration, message))
    return
  }
  if (typeof change !== 'object' || action !== 'modify' || run.apply === undefined) {
    return fail(state, registration, startedAt, malformed(registration, change, 'action modify'))
  }
  return applyChange(state, registration, run, startedAt, change)
}

function applyChange<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  run: HookRunOptions<Payload>,
  startedAt: number,
  change: object,
): void | Promise<void> {
  const done = (payload: Payload): void => {
    note(state, registration, 'transform', startedAt, 'modify')
    if (registration.options.auditOnly !== true)
      state.payload = run.frozen === true ? payload : deepFreeze(payload)
  }
  try {
    const payload = run.apply!(state.payload, change)
    if (!isPromiseLike(payload)) return done(payload)
    return Promise.resolve(payload).then(done, (thrown: unknown) =>
      fail(state, registration, startedAt, faultOf(thrown)),
    )
  } catch (thrown) {
    return fail(state, registration, startedAt, faultOf(thrown))
  }
}

function fail<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  startedAt: number,
  fault: unknown,
): void {
  note(state, registration, 'transform', startedAt, undefined, fault)
  if (registration.options.auditOnly === true) return
  if (state.fault === 'block') block(state, { hook: registration.id, fault })
  else if (registration.options.critical === true) {
    state.withheldBy ??= { hook: registration.id, fault }
  }
}

/** A message counts only when it is text; a block without one blocks all the same. */
export function blockOf(
  registration: Registration,
  message: unknown,
): { hook: string; message?: string } {
  return { hook: registration.id, ...(typeof message === 'string' ? { message } : {}) }
}
