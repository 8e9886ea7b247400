import type { AdapterOutput } from './adapter.ts'
import type { AssistantTurn, CallContext, ContentPart, ToolCallIn } from './call.ts'
import type { ApprovalDecision, ApprovalRequest } from './ports.ts'
import type { ToolResult } from './result.ts'
import type { JsonPointer, ToolDefinition, ToolId } from './tool.ts'

export interface CallPayload {
  readonly callId: string
  readonly parentCallId?: string
  readonly batchIndex?: number
  readonly batchSize?: number
  readonly attempt: number
  readonly sessionId?: string
  readonly tool: ToolId
  readonly definition: ToolDefinition
  readonly arguments: { readonly [name: string]: unknown }
  readonly context: CallContext
  /** Not frozen, unlike the rest. */
  readonly signal: AbortSignal
  /** Calls another tool through the whole pipeline, with this call as parent. */
  call(call: ToolCallIn): Promise<ToolResult>
}
export type TransformReturn =
  | {
      readonly action: 'modify'
      readonly args?: object
      readonly set?: { readonly [pointer: JsonPointer]: unknown }
      readonly remove?: readonly JsonPointer[]
    }
  | { readonly action: 'block'; readonly message?: string }
  | void
export type GateReturn =
  | { readonly action: 'allow' }
  | { readonly action: 'block'; readonly message?: string }
  | { readonly action: 'ask'; readonly message?: string; readonly rule?: string }
  | void
/** Default kinds: gate for pre_tool_call; around for tool_execution; transform for tool_error, transform_tool_result, tools_listed; observe for the rest. */
export interface CallgateEvents {
  pre_tool_call: { payload: CallPayload; transform: TransformReturn; gate: GateReturn }
  /** next takes nothing and may be called once. */
  tool_execution: {
    payload: CallPayload & { next(): Promise<AdapterOutput> }
    around: AdapterOutput
  }
  tool_error: {
    payload: CallPayload & { readonly error: NonNullable<ToolResult['error']> }
    transform: {
      readonly action: 'modify'
      readonly message: string
      readonly hint?: string
    } | void
  }
  /** Only for status ok. data without content: the content is made anew from data; content without data: data is dropped. */
  transform_tool_result: {
    payload: CallPayload & { readonly data: unknown; readonly content: readonly ContentPart[] }
    transform: {
      readonly action: 'modify'
      readonly data?: unknown
      readonly content?: readonly ContentPart[]
    } | void
  }
  /** Exactly once for every call, whatever happened. */
  post_tool_call: {
    payload: Omit<CallPayload, 'definition' | 'arguments'> & {
      readonly definition?: ToolDefinition
      readonly arguments: unknown
      readonly result: ToolResult
      readonly rawData: unknown
    }
  }
  approval_request: { payload: { readonly request: ApprovalRequest } }
  approval_decision: {
    payload: { readonly request: ApprovalRequest; readonly decision: ApprovalDecision }
  }
  turn_start: { payload: { readonly turn: AssistantTurn; readonly context: CallContext } }
  batch_expanded: {
    payload: { readonly parentCallId: string; readonly callIds: readonly string[] }
  }
  turn_end: { payload: { readonly results: readonly ToolResult[]; readonly context: CallContext } }
  /** The life of a gateway and of its adapters: `reason` says why one is down. */
  gateway_start: { payload: { readonly adapters: readonly string[] } }
  gateway_stop: { payload: { readonly adapters: readonly string[] } }
  adapter_up: { payload: { readonly adapter: string } }
  adapter_down: { payload: { readonly adapter: string; readonly reason: string } }
  tools_listed: {
    payload: { readonly tools: readonly ToolDefinition[]; readonly context: CallContext }
    transform: { readonly action: 'modify'; readonly hide?: readonly ToolId[] } | void
  }
}
