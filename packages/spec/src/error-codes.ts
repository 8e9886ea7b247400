import type { ToolResult } from './result.ts'

/** What one code means, once for all packages, docs and transports. */
export interface ErrorCodeEntry {
  /** The number of the table, an HTTP status where one fits. */
  readonly status: number
  /** The status that a result with this code has. */
  readonly result: Exclude<ToolResult['status'], 'ok'>
  /** Whether the same call, sent again unchanged, can succeed. */
  readonly retryable: boolean
  readonly meaning: string
}

/** One table fixes meaning, number and whether a retry can help. An issue that brings a feature brings its codes. */
export type ErrorCode =
  | 'tool_not_found'
  | 'no_adapter'
  | 'permission_denied'
  | 'guard_refused'
  | 'malformed_call'
  | 'too_many_calls'
  | 'invalid_arguments'
  | 'hook_blocked'
  | 'hook_failed'
  | 'approval_required'
  | 'approval_denied'
  | 'approval_expired'
  | 'definition_changed'
  | 'rate_limited'
  | 'overloaded'
  | 'circuit_open'
  | 'backend_unavailable'
  | 'backend_error'
  | 'tool_failed'
  | 'timeout'
  | 'outcome_unknown'
  | 'cancelled'
  | 'repeated_failure'
  | 'result_withheld'
  | 'internal'

/**
 * The one table of error codes (design section 4). Codes, docs and exports are tested to agree. Nothing is called to
 * make it, so that a bundler leaves it out where nobody looks at it.
 */
export const errorCodes: { readonly [C in ErrorCode]: ErrorCodeEntry } = {
  tool_not_found: {
    status: 404,
    result: 'error',
    retryable: false,
    meaning: 'No tool has this id or wire name.',
  },
  no_adapter: {
    status: 501,
    result: 'error',
    retryable: false,
    meaning: 'The tool names an adapter that the gateway does not have.',
  },
  permission_denied: {
    status: 403,
    result: 'denied',
    retryable: false,
    meaning: 'The caller may not use this tool, or it does not exist.',
  },
  guard_refused: {
    status: 403,
    result: 'denied',
    retryable: false,
    meaning: 'A guard of the adapter refused a path, an argument or an address.',
  },
  malformed_call: {
    status: 400,
    result: 'error',
    retryable: false,
    meaning: 'The call cannot be read: not JSON, no name, or a shape that does not fit.',
  },
  too_many_calls: {
    status: 400,
    result: 'error',
    retryable: false,
    meaning: 'One tool_call holds more entries than the limit.',
  },
  invalid_arguments: {
    status: 400,
    result: 'error',
    retryable: false,
    meaning: 'The arguments do not fit the schema of the tool.',
  },
  hook_blocked: {
    status: 403,
    result: 'denied',
    retryable: false,
    meaning: 'A hook refused the call.',
  },
  hook_failed: {
    status: 500,
    result: 'denied',
    retryable: false,
    meaning: 'A hook threw, timed out or answered wrongly, so the call was refused.',
  },
  approval_required: {
    status: 202,
    result: 'pending',
    retryable: false,
    meaning: 'A human has to approve; the ticket says which call.',
  },
  approval_denied: {
    status: 403,
    result: 'denied',
    retryable: false,
    meaning: 'A human refused, or nobody could be asked.',
  },
  approval_expired: {
    status: 408,
    result: 'denied',
    retryable: false,
    meaning: 'Nobody answered the approval in time.',
  },
  definition_changed: {
    status: 409,
    result: 'denied',
    retryable: false,
    meaning: 'The tool changed since it was approved.',
  },
  rate_limited: {
    status: 429,
    result: 'error',
    retryable: true,
    meaning: 'A limit of calls per time or per turn is reached.',
  },
  overloaded: {
    status: 503,
    result: 'error',
    retryable: true,
    meaning: 'Too many calls are waiting for this tool.',
  },
  circuit_open: {
    status: 503,
    result: 'error',
    retryable: true,
    meaning: 'The backend failed repeatedly and is left alone for a while.',
  },
  backend_unavailable: {
    status: 503,
    result: 'error',
    retryable: true,
    meaning: 'The backend cannot be reached; nothing ran.',
  },
  backend_error: {
    status: 502,
    result: 'error',
    retryable: true,
    meaning: 'The backend answered with a fault of its own.',
  },
  tool_failed: {
    status: 500,
    result: 'error',
    retryable: false,
    meaning: 'The tool ran and says that it failed.',
  },
  timeout: {
    status: 504,
    result: 'error',
    retryable: true,
    meaning: 'The call took longer than its limit.',
  },
  outcome_unknown: {
    status: 504,
    result: 'error',
    retryable: false,
    meaning: 'The call may have had its effect; nobody knows.',
  },
  cancelled: {
    status: 499,
    result: 'cancelled',
    retryable: false,
    meaning: 'The caller stopped the call.',
  },
  repeated_failure: {
    status: 429,
    result: 'denied',
    retryable: false,
    meaning: 'The call, or the whole task, was tried again and again in vain.',
  },
  result_withheld: {
    status: 500,
    result: 'error',
    retryable: false,
    meaning: 'A critical hook failed on the result, so it is not shown.',
  },
  internal: {
    status: 500,
    result: 'error',
    retryable: false,
    meaning: 'A fault of the gateway or of an adapter; the text is withheld.',
  },
}
