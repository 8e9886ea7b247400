import { errorCodes, type ErrorCode, type ToolError } from '@callgate/spec'

/** What only the gateway may say: that a human is asked, that a hook or a guard has refused. */
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

const starts: ReadonlySet<unknown> = new Set(['no', 'yes', 'unknown'])
const texts: ReadonlySet<string> = new Set(['string', 'undefined'])

/** What is wrong with the facts of an error that a tool or an adapter threw; undefined where nothing is. */
export function faultOfFacts(error: ToolError): string | undefined {
  try {
    const { code, started, message, rule, parameter, retryAfterMs } = error
    if (!Object.hasOwn(errorCodes, code)) return `there is no code ${code}`
    if (ofTheGateway.has(code)) return `only the gateway may give the code ${code}`
    if (!starts.has(started)) return `started is ${started}; expected no, yes or unknown`
    if (typeof message !== 'string') return `its message is ${typeof message}`
    if (!texts.has(typeof rule) || !texts.has(typeof parameter))
      return 'its rule or parameter is no text'
    const isWait =
      retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0)
    return isWait ? undefined : 'its retryAfterMs are no milliseconds'
  } catch {
    return 'its facts cannot be read'
  }
}
