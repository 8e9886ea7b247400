import type { Call } from '../pipeline/call.ts'
import { failure, type Failure } from '../results/failure.ts'

/** Why a call does not start any more that has no time left. */
export function late({ toolId }: Call, hint?: string): Failure {
  const message = `${toolId} did not start before the deadline of the call.`
  return failure('timeout', message, hint === undefined ? {} : { hint })
}
