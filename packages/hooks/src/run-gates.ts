import { invoke, type Answer } from './invoke.ts'
import { isPromiseLike } from './promise-like.ts'
import type { Registration } from './registration.ts'
import { block, malformed, note, type RunState } from './run-state.ts'
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
    const answer = invoke(registration, state.payload, state.settings)
    if (isPromiseLike(answer)) {
      return answer.then((settled) => {
        judge(state, registration, startedAt, settled)
        return runGates(state, registrations, index + 1)
      })
    }
    // One reading of the clock ends this gate and starts the next.
    startedAt = judge(state, registration, startedAt, answer)
  }
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
  let decision: GateAnswer
  try {
    decision = readAnswer(answer.value)
  } catch (fault) {
    return fail(state, registration, startedAt, fault ?? new Error('its answer cannot be read'))
  }
  const { action } = decision
  if (action !== 'allow' && action !== 'block' && action !== 'ask') {
    const fault = malformed(registration, answer.value, 'action allow, block or ask')
    return fail(state, registration, startedAt, fault)
  }
  const endedAt = note(state, registration, 'gate', startedAt, { decision: action })
  if (registration.options.auditOnly === true) return endedAt
  if (action === 'allow') state.allowed = true
  else if (action === 'block') block(state, blockOf(registration, decision.message))
  else {
    state.asks.push({
      ...blockOf(registration, decision.message),
      ...(typeof decision.rule === 'string' ? { rule: decision.rule } : {}),
    })
  }
  return endedAt
}

interface GateAnswer {
  readonly action?: unknown
  readonly message?: unknown
  readonly rule?: unknown
}

/** Each field once: an answer may be a foreign object. @throws whatever its getters throw. */
function readAnswer(value: unknown): GateAnswer {
  const { action, message, rule } = value as GateAnswer
  return { action, message, rule }
}

function fail<Payload extends object>(
  state: RunState<Payload>,
  registration: Registration,
  startedAt: number,
  fault: unknown,
): number {
  const endedAt = note(state, registration, 'gate', startedAt, { fault })
  // A gate is there to refuse: whatever the event says, a gate that fails has not let the call pass.
  if (registration.options.auditOnly !== true) block(state, { hook: registration.id, fault })
  return endedAt
}
