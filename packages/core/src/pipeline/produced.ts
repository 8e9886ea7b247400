import type { AdapterOutput } from '@callgate/spec'

import { failure, type Failure } from '../results/failure.ts'
import { firstLine } from '../results/first-line.ts'
import type { Redactor } from '../results/redact.ts'
import { isThrown } from '../results/thrown.ts'
import type { Call, Produced } from './call.ts'
import { classify } from './classify.ts'
import { Refused } from './refused.ts'
import type { Services } from './services.ts'

/** What an attempt produced that threw. */
export function producedByThrow(error: unknown, call: Call, services: Services): Produced {
  return producedByFailure(
    call,
    isThrown(error, Refused) ? error.failure : classify(error, call, services),
  )
}

/** What an attempt produced whose tool answered; an answer can be that it failed, or no output at all. */
export function producedByOutput(output: AdapterOutput, call: Call, services: Services): Produced {
  try {
    const message = output.isError === true ? messageOf(output, services.redactor) : undefined
    call.outcome = call.stepsOutcome ?? 'done'
    if (message === undefined) return { ok: true, output }
    const started = call.outcome === 'not_started' ? 'no' : 'yes'
    return { ok: false, output, failure: failure('tool_failed', message, { started }) }
  } catch (error) {
    return producedByThrow(error, call, services)
  }
}

export function producedByFailure(call: Call, failed: Failure): Produced {
  call.outcome = outcomes[failed.started]
  return { ok: false, failure: failed }
}

/** Tells the circuit breaker what came of an attempt, and whether it was its caller who cut it short. */
export function recorded(
  produced: Produced,
  call: Call,
  services: Services,
  isCut = false,
): Produced {
  const failed = produced.ok ? undefined : produced.failure
  services.breakers.record(call.entry!, failed && isCut ? { ...failed, ours: true } : failed)
  return produced
}

const outcomes = { no: 'not_started', yes: 'done', unknown: 'unknown' } as const

function messageOf({ data, content }: AdapterOutput, redactor: Redactor): string {
  const text =
    content?.find((part) => part.type === 'text')?.text ?? (typeof data === 'string' ? data : '')
  return firstLine(redactor.text(text)) || 'The tool says that it failed.'
}
