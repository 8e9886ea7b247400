import { faultOf, invoke, type Answer } from './invoke.ts'
import type { Registration } from './registration.ts'
import { block, checkFields, malformed, note, type RunState } from './run-state.ts'
import { blockOf } from './run-transforms.ts'

/** Asks every gate in order, also after a block: a gate that records must see each call. */
export function runGates<Payload extends object>(
  state: RunState<Payload>,
  registrations: readonly Registration[],
  from = 0,
): void | Promise<void> {
  let startedAt = state.settings.clock.now()
  for (let index = from; index < registrations.length; index++) {
    const registration = registrations[index]!
    const answer = invoke(registration, state)
    if (answer instanceof Promise) {
      return judgeLater(state, registrations, index, startedAt, answer)
    }
    // One reading of the clock ends this gate and starts the next.
    startedAt = judge(state, registration, startedAt, answer)
  }
}

/** Not in the loop: a closure there would cost each gate, also those that answer at once. */
function judgeLater<Payload extends object>(
  state: RunState<Payload>,
  registrations: readonly Registration[],
  index: number,
  startedAt: number,
  answer: Promise<Answer>,
): Promise<void> {
  return answer.then((settled) => {
    judge(state, registrations[index]!, startedAt, settled)
    return runGates(state, registrations, index + 1)
  })
}

/** Takes what a gate answered; gives the reading of the clock at its end. */
function judge<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  startedAt: number,
  answer: Answer,
): number {
  if (!answer.ok) return fail(state, registration, startedAt, answer.fault)
  if (answer.value === undefined || answer.value === null)
    return note(state, registration, 'gate', startedAt)
  // Each field is read once: an answer may be a foreign object, whose getters may throw.
  let action: unknown
  let message: unknown
  let rule: unknown
  try {
    ;({ action, message, rule } = answer.value as {
      action?: unknown
      message?: unknown
      rule?: unknown
    })
    checkFields(registration, action, answer.value)
  } catch (thrown) {
    return fail(state, registration, startedAt, faultOf(thrown))
  }
  if (action !== 'allow' && action !== 'block' && action !== 'ask') {
    const fault = malformed(registration, answer.value, 'action allow, block or ask')
    return fail(state, registration, startedAt, fault)
  }
  const endedAt = note(state, registration, 'gate', startedAt, action)
  if (registration.options.auditOnly === true) return endedAt
  if (action === 'allow') state.allowed = true
  else if (action === 'block') block(state, blockOf(registration, message))
  else {
    state.asks.push({
      ...blockOf(registration, message),
      ...(typeof rule === 'string' ? { rule } : {}),
    })
  }
  return endedAt
}

function fail<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  startedAt: number,
  fault: unknown,
): number {
  const endedAt = note(state, registration, 'gate', startedAt, undefined, fault)
  // A gate is there to refuse: whatever the event says, a gate that fails has not let the call pass.
  if (registration.options.auditOnly !== true) block(state, { hook: registration.id, fault })
  return endedAt
}
