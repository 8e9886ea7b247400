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

function entry(
  status: number,
  result: ErrorCodeEntry['result'],
  retryable: boolean,
  meaning: string,
): ErrorCodeEntry {
  return { status, result, retryable, meaning }
}

/** The one table of error codes (design section 4). Codes, docs and exports are tested to agree. */
export const errorCodes: { readonly [C in ErrorCode]: ErrorCodeEntry } = {
  tool_not_found: entry(404, 'error', false, 'No tool has this id or wire name.'),
  no_adapter: entry(
    501,
    'error',
    false,
    'The tool names an adapter that the gateway does not have.',
  ),
  permission_denied: entry(
    403,
    'denied',
    false,
    'The caller may not use this tool, or it does not exist.',
  ),
  guard_refused: entry(
    403,
    'denied',
    false,
    'A guard of the adapter refused a path, an argument or an address.',
  ),
  malformed_call: entry(
    400,
    'error',
    false,
    'The call cannot be read: not JSON, no name, or a shape that does not fit.',
  ),
  too_many_calls: entry(400, 'error', false, 'One tool_call holds more entries than the limit.'),
  invalid_arguments: entry(400, 'error', false, 'The arguments do not fit the schema of the tool.'),
  hook_blocked: entry(403, 'denied', false, 'A hook refused the call.'),
  hook_failed: entry(
    500,
    'denied',
    false,
    'A hook threw, timed out or answered wrongly, so the call was refused.',
  ),
  approval_required: entry(
    202,
    'pending',
    false,
    'A human has to approve; the ticket says which call.',
  ),
  approval_denied: entry(403, 'denied', false, 'A human refused, or nobody could be asked.'),
  approval_expired: entry(408, 'denied', false, 'Nobody answered the approval in time.'),
  definition_changed: entry(409, 'denied', false, 'The tool changed since it was approved.'),
  rate_limited: entry(429, 'error', true, 'A limit of calls per time or per turn is reached.'),
  overloaded: entry(503, 'error', true, 'Too many calls are waiting for this tool.'),
  circuit_open: entry(
    503,
    'error',
    true,
    'The backend failed repeatedly and is left alone for a while.',
  ),
  backend_unavailable: entry(503, 'error', true, 'The backend cannot be reached; nothing ran.'),
  backend_error: entry(502, 'error', true, 'The backend answered with a fault of its own.'),
  tool_failed: entry(500, 'error', false, 'The tool ran and says that it failed.'),
  timeout: entry(504, 'error', true, 'The call took longer than its limit.'),
  outcome_unknown: entry(504, 'error', false, 'The call may have had its effect; nobody knows.'),
  cancelled: entry(499, 'cancelled', false, 'The caller stopped the call.'),
  repeated_failure: entry(
    429,
    'denied',
    false,
    'The same call failed again and again and is not tried any more.',
  ),
  result_withheld: entry(
    500,
    'error',
    false,
    'A critical hook failed on the result, so it is not shown.',
  ),
  internal: entry(
    500,
    'error',
    false,
    'A fault of the gateway or of an adapter; the text is withheld.',
  ),
}

/** The only thing an adapter throws on purpose; anything else becomes `internal` and its text is withheld. */
export interface ToolErrorInit {
  readonly code: ErrorCode
  readonly message: string
  readonly rule?: string
  readonly parameter?: string
  /** Whether the effect can have begun: decides about retry. */
  readonly started: 'no' | 'yes' | 'unknown'
  readonly retryAfterMs?: number
  readonly backend?: { readonly code?: number; readonly data?: unknown }
  readonly cause?: unknown
}

const toolErrorBrand = Symbol.for('callgate.tool-error.v1')
const callgateErrorBrand = Symbol.for('callgate.error.v1')

/**
 * The only error that an adapter throws on purpose.
 *
 * Takes the facts of the failure; the core decides about retry and about what the model reads.
 */
export class ToolError extends Error {
  readonly code: ErrorCode
  readonly started: ToolErrorInit['started']
  readonly rule: string | undefined
  readonly parameter: string | undefined
  readonly retryAfterMs: number | undefined
  readonly backend: ToolErrorInit['backend']

  constructor(init: ToolErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'ToolError'
    this.code = init.code
    this.started = init.started
    this.rule = init.rule
    this.parameter = init.parameter
    this.retryAfterMs = init.retryAfterMs
    this.backend = init.backend
    Object.defineProperty(this, toolErrorBrand, { value: true })
  }

  /** By brand, so that a copy of this package in another node_modules still counts. */
  static isInstance(value: unknown): value is ToolError {
    return branded(value, toolErrorBrand)
  }
}

/** What a fault at set-up time says: what is wrong, where, and what to do. */
export interface CallgateErrorInit {
  readonly code: ErrorCode
  readonly message: string
  /** A stable name of the rule that was broken, for tests and operators. */
  readonly rule?: string
  /** Where: a file with line and column, a tool id, or a JSON pointer. */
  readonly where?: string
  readonly hint?: string
  readonly cause?: unknown
}

/**
 * A fault at set-up time: bad options, a tool that cannot be registered, a file that cannot be read.
 * Never thrown for what a call, hook, tool or adapter did while running.
 */
export class CallgateError extends Error {
  readonly code: ErrorCode
  readonly rule: string | undefined
  readonly where: string | undefined
  readonly hint: string | undefined

  constructor(init: CallgateErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'CallgateError'
    this.code = init.code
    this.rule = init.rule
    this.where = init.where
    this.hint = init.hint
    Object.defineProperty(this, callgateErrorBrand, { value: true })
  }

  /** By brand, so that a copy of this package in another node_modules still counts. */
  static isInstance(value: unknown): value is CallgateError {
    return branded(value, callgateErrorBrand)
  }
}

/** One thing that is wrong with a declared tool: the rule, what was found, and what to write instead. */
export interface ToolFault {
  readonly rule: string
  readonly message: string
  readonly hint: string
}

/** A tool that cannot be registered; `where` is its id. */
export class InvalidToolError extends CallgateError {
  /** All that an adapter found wrong with the tool at one look; `rule` is that of the first. */
  readonly faults?: readonly ToolFault[]

  constructor(init: Omit<CallgateErrorInit, 'code'> & { readonly faults?: readonly ToolFault[] }) {
    super({ ...init, code: 'invalid_arguments' })
    this.name = 'InvalidToolError'
    if (init.faults !== undefined) this.faults = init.faults
  }
}

/** Options that do not fit; `where` is the option. */
export class InvalidOptionsError extends CallgateError {
  constructor(init: Omit<CallgateErrorInit, 'code'>) {
    super({ ...init, code: 'invalid_arguments' })
    this.name = 'InvalidOptionsError'
  }
}

function branded(value: unknown, brand: symbol): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Record<symbol, unknown>)[brand] === true
  )
}
