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
}

export function failure(code: ErrorCode, message: string, more: Partial<Failure> = {}): Failure {
  return { code, message, started: 'no', ...more }
}

/** The error of an envelope; number and retryability come from the one table. */
export function errorOf(fault: Failure): NonNullable<ToolResult['error']> {
  const { status, retryable } = errorCodes[fault.code]
  const { code, message, hint, fields, rule, parameter, retryAfterMs, backend } = fault
  return {
    code,
    status,
    message,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(fields === undefined ? {} : { fields }),
    ...(rule === undefined ? {} : { rule }),
    ...(parameter === undefined ? {} : { parameter }),
    ...(hint === undefined ? {} : { hint }),
    ...(backend === undefined ? {} : { backend }),
  }
}
