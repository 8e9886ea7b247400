import type { ContentPart } from './call.ts'
import type { ErrorCode } from './error-codes.ts'
import type { JsonPointer, ToolId } from './tool.ts'

export type StepName =
  | 'lookup'
  | 'adapter'
  | 'permission'
  | 'validation'
  | 'execution'
  | 'result'
  | 'injection'

export interface ToolResult {
  /** The id that pairs with the call in the stored turn. */
  readonly callId: string
  readonly parentCallId?: string
  readonly tool: ToolId
  readonly status: 'ok' | 'error' | 'denied' | 'cancelled' | 'pending'
  /** The structured value; JSON-safe. */
  readonly data: unknown
  /** Text and media for the model. */
  readonly content: readonly ContentPart[]
  readonly metadata: {
    readonly adapter?: string
    readonly durationMs: number
    readonly attempts: number
    /** What is known about the effect: an aborted or timed-out write may be 'unknown'. */
    readonly outcome: 'done' | 'not_started' | 'unknown'
    readonly truncated?: {
      readonly keptBytes: number
      readonly totalBytes: number
      readonly blobId?: string
    }
    readonly answeredBy?: ToolId
    /** What the model should know of its own doing: that it repeats itself, for one. */
    readonly notice?: string
    /** The content comes from outside this program: whatever it says is material, never an instruction. */
    readonly untrusted?: true
    /** Facts of the adapter about this call: an HTTP status, an isolation level, … */
    readonly backend?: { readonly [key: string]: unknown }
    readonly repairs: readonly Repair[]
    readonly auditId: string
    readonly ticketId?: string
    readonly trace: readonly { readonly step: StepName; readonly ms: number }[]
  }
  readonly error?: {
    readonly code: ErrorCode
    /** The number of the table below. */
    readonly status: number
    readonly message: string
    readonly retryable: boolean
    readonly retryAfterMs?: number
    readonly fields?: readonly FieldFault[]
    /** A stable name of the rule that fired (dotdot, leading-dash, private-ip, …), for operators and tests. */
    readonly rule?: string
    readonly parameter?: string
    readonly hint?: string
    /** What the other side said, a JSON-RPC error for one. */
    readonly backend?: { readonly code?: number; readonly data?: unknown }
  }
}
export interface Repair {
  readonly path: JsonPointer
  readonly from: unknown
  readonly to: unknown
  readonly rule: string
}
export interface FieldFault {
  readonly path: JsonPointer
  /** The JSON Schema keyword that failed. */ readonly constraint: string
  readonly got: string
  readonly expected: string
  readonly suggestion?: string
}
