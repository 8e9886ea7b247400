import { errorCodes, type ErrorCode, type ToolResult } from '@callgate/spec'

/** Why a call did not succeed, as the pipeline passes it on. */
export interface Failure {
  readonly code: ErrorCode
  /** For the model: one sentence it can act on. */
  readonly message: string
  /** Whether the effect can have begun. */
  readonly started: 'no' | 'yes' | 'unknown'
  readonly hint?: string
  readonly fields?: NonNullable<ToolResult['error']>['fields']
  readonly rule?: string
  readonly parameter?: string
  readonly retryAfterMs?: number
  readonly backend?: NonNullable<ToolResult['error']>['backend']
  /** For the audit alone: what the model must not learn. */
  readonly trueReason?: string
  /** A limit of the gateway refused it, so it says nothing of the backend. */
  readonly ours?: true
  /** The caller must not learn whether the tool exists: its result says nothing that a name without a tool has not (R9.1). */
  readonly unseen?: true
}

export function failure(code: ErrorCode, message: string, more: Partial<Failure> = {}): Failure {
  return { code, message, started: 'no', ...more }
}

export type ResultError = NonNullable<ToolResult['error']>

/** The error of an envelope; number and retryability come from the one table. */
export function errorOf(fault: Failure): ResultError {
  const { status, retryable } = errorCodes[fault.code]
  const error: { -readonly [K in keyof ResultError]: ResultError[K] } = {
    code: fault.code,
    status,
    message: fault.message,
    retryable,
  }
  if (fault.retryAfterMs !== undefined) error.retryAfterMs = fault.retryAfterMs
  if (fault.fields !== undefined) error.fields = fault.fields
  if (fault.rule !== undefined) error.rule = fault.rule
  if (fault.parameter !== undefined) error.parameter = fault.parameter
  if (fault.hint !== undefined) error.hint = fault.hint
  if (fault.backend !== undefined) error.backend = fault.backend
  return error
}
