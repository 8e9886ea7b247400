import { errorCodes, type ErrorCode, type ToolError } from '@callgate/spec'

import { show } from '../measure/expect.ts'

/** What only the gateway may say; of an adapter it makes `internal` of them, as of a code that does not exist. */
const ofTheGateway: ReadonlySet<unknown> = new Set<ErrorCode>([
  'too_many_calls',
  'hook_blocked',
  'hook_failed',
  'approval_required',
  'approval_denied',
  'approval_expired',
  'repeated_failure',
  'result_withheld',
])

const starts: ReadonlySet<unknown> = new Set(['yes', 'no', 'unknown'])

/** The facts of a ToolError that do not fit the contract, for a text that begins with who gave it; undefined for none. */
export function faultOfFacts(error: ToolError): string | undefined {
  const { code, started, message, rule, parameter, retryAfterMs } = error
  if (!Object.hasOwn(errorCodes, code)) {
    return `the code ${show(code)}, which is not in the table of error codes`
  }
  if (ofTheGateway.has(code)) return `the code "${code}", which only the gateway may give`
  if (!starts.has(started)) return `started: ${show(started)}; it must be yes, no or unknown`
  if (typeof message !== 'string') return `the message ${show(message)}; it must be a text`
  for (const [name, text] of Object.entries({ rule, parameter })) {
    if (text !== undefined && typeof text !== 'string') {
      return `${name}: ${show(text)}; it must be a text`
    }
  }
  const isWait = retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0)
  return isWait ? undefined : `retryAfterMs: ${show(retryAfterMs)}; it must be milliseconds`
}
