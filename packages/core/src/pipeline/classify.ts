import { ToolError } from '@callgate/spec'

import { boundedFacts } from '../results/bounded-facts.ts'
import { maxName, shortened } from '../results/cut-text.ts'
import { failure, type Failure } from '../results/failure.ts'
import { firstLine } from '../results/first-line.ts'
import { stackOfThrown, textOfThrown } from '../results/thrown.ts'
import type { Call } from './call.ts'
import { isFunctionCall } from './invoke.ts'
import type { Services } from './services.ts'
import { faultOfFacts } from './thrown-facts.ts'

/** What a throw of a tool or an adapter means (design section 4). */
export function classify(error: unknown, call: Call, services: Services): Failure {
  if (ToolError.isInstance(error)) {
    const fault = faultOfFacts(error)
    if (fault === undefined) return fromToolError(error, call, services)
    const { callId, toolId } = call
    services.log.error(`${toolId} threw an error whose facts do not fit`, { callId, reason: fault })
  }
  if (call.stop.stopped)
    return failure('cancelled', 'The call was stopped.', { started: 'unknown' })
  if (isFunctionCall(call)) {
    const text = textOfThrown(error)
    return failure('tool_failed', firstLine(services.redactor.text(text)) || 'The tool failed.', {
      started: 'yes',
    })
  }
  services.log.error(`adapter failed on ${call.toolId}`, {
    callId: call.callId,
    error: stackOfThrown(error),
  })
  return failure('internal', 'The tool could not be run because of an internal fault.', {
    started: 'unknown',
    trueReason: stackOfThrown(error),
  })
}

function fromToolError(error: ToolError, call: Call, services: Services): Failure {
  const { code, started, rule, parameter, retryAfterMs, backend } = error
  const facts = {
    started,
    ...(rule === undefined ? {} : { rule: nameOf(rule, services) }),
    ...(parameter === undefined ? {} : { parameter: nameOf(parameter, services) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs, hint: whenAgain(retryAfterMs) }),
    ...(backend === undefined ? {} : { backend: boundedFacts(backend, maxBackendBytes) }),
    ...(error.cause === undefined ? {} : { trueReason: stackOfThrown(error.cause) }),
  }
  const message = firstLine(services.redactor.text(error.message))
  if (!isUnknownOutcome(code, started, call)) return failure(code, message, facts)
  // What others say may end without a full stop.
  const said = message.replace(/[^.!?…]$/u, '$&.')
  return failure('outcome_unknown', `${said} The call may have had its effect; nobody knows.`, {
    ...facts,
    hint: 'Check whether it did before you send it again.',
  })
}

/** Without secrets first: a part of one is not found. */
function nameOf(text: string, { redactor }: Services): string {
  return shortened(redactor.text(text), maxName)
}

/** As long as a page: it stands beside the message, which says what is wrong. */
const maxBackendBytes = 16 * 1024

function whenAgain(ms: number): string {
  return `Try again in ${Math.ceil(ms / 1000)} s, or go on with other work.`
}

/** A broken connection in the middle of a call that must not run twice. */
function isUnknownOutcome(
  code: ToolError['code'],
  started: ToolError['started'],
  call: Call,
): boolean {
  const { effects } = call.entry!.definition
  const harmless = effects?.readOnly === true || effects?.idempotent === true
  return (
    started === 'unknown' &&
    !harmless &&
    (code === 'backend_unavailable' || code === 'backend_error')
  )
}
