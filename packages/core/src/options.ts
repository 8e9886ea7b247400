import type { HookBus } from '@callgate/hooks'
import type {
  ApprovalDecision,
  ApprovalRequest,
  AssistantTurn,
  BoundAdapter,
  CallContext,
  CallgateEvents,
  JsonSchema,
  Logger,
  Ports,
  ToolCallIn,
  ToolDefinition,
  ToolId,
  ToolResult,
} from '@callgate/spec'

import type { FunctionTool } from './define-tool.ts'

/** What layer 2 says of a call (R9.2). */
export interface RiskAssessment {
  readonly level: 'low' | 'medium' | 'high'
  readonly score: number
  readonly factors: readonly string[]
}

export interface RiskFacts {
  readonly tool: ToolDefinition
  readonly arguments: unknown
  readonly context: CallContext
  /** The latest results of the session, newest last, without their data and content. */
  readonly history: readonly ToolResult[]
}

export interface PolicyOptions {
  /** A context without roles sees what the role named `default` sees; without any roles configured everything is visible. */
  readonly roles?: { readonly [role: string]: { readonly tagsAllow: readonly string[] } }
  /** Layer 2, synchronous. A throw or an answer that is no assessment counts as high risk. Default: `assessRisk`. */
  risk?(facts: RiskFacts): RiskAssessment
  /** For every tool that states none of its own. */
  readonly limits?: ToolDefinition['limits']
  /** Milliseconds for one attempt of a tool that states none of its own; default 30,000. */
  readonly timeoutMs?: number
  /** Bytes of text that a result may hold; default 100,000. */
  readonly resultCapBytes?: number
  /** Tokens of text that a result may hold, at four bytes a token. Default: no limit of its own. */
  readonly resultCapTokens?: number
  /** Milliseconds a human has for an answer; default 300,000. */
  readonly approvalTimeoutMs?: number
  /** Calls of one turn that run at the same time; default 16. */
  readonly turnConcurrency?: number
  /** Calls that one turn may hold after expansion; the rest is answered `rate_limited`. Default: no limit. */
  readonly maxCallsPerTurn?: number
  /** Splits a batch also where entries of it cannot be read: those are answered, the others run. Default false: the whole batch is answered. */
  readonly splitFaultyBatches?: boolean
  /** How often a model may plan anew after a plan that failed, before its task has failed (R10.2); default 2. */
  readonly maxReplans?: number
  /** Whether calls that a model makes again and again are told of and refused (R10.2); default true. */
  readonly loops?: boolean
  /** Globs of ids of tools that are asked again and again until something has come, as `effects.polls` says of one tool. */
  readonly polls?: readonly string[]
  /** Calls of one adapter that run at the same time, by its name. Default: no limit. */
  readonly adapterConcurrency?: { readonly [adapter: string]: number }
  /** Deferred tools are shown like direct ones while all of them take at most so many tokens; default 0. */
  readonly directUnderTokens?: number
  /** Tokens that the catalogue in the description of `tool_search` may take; default 4000. */
  readonly listingTokens?: number
  /** The model's window in tokens: the catalogue takes at most a twentieth of it. Default 10,000. */
  readonly contextTokens?: number
  /** Digests of definitions that were let in, by tool id: a tool with another one is held back. */
  readonly pinned?: { readonly [id: ToolId]: string }
  /** Also holds back every discovered tool whose definition changes after its first call. */
  readonly pinDiscovered?: boolean
}

export interface GatewayOptions {
  /** Functions (defineTool) and declared tools. */
  readonly tools?: readonly (ToolDefinition | FunctionTool)[]
  readonly adapters?: readonly BoundAdapter[]
  readonly hooks?: HookBus<CallgateEvents>
  readonly policy?: PolicyOptions
  readonly ports?: Partial<Ports>
  /** Resolves `{env:NAME}` and adapters' secrets; the core reads no environment. */
  readonly secrets?: (name: string) => string | undefined
  readonly log?: Logger
  /** Asked for layer 3. Without it: `pending` where approvals are durable, else `approval_denied`. */
  readonly approver?: (request: ApprovalRequest) => Promise<ApprovalDecision>
  /** A secret shared by all gateways on one approval store: tickets are signed with it. */
  readonly ticketKey?: string
}

/** What the model is shown of a tool. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

export interface AdapterHealth {
  readonly adapter: string
  readonly state: 'ok' | 'degraded' | 'down' | 'not started'
  readonly isolation: string
  readonly reason?: string
}

export interface Explanation {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly layer: 1 | 2 | 3
  readonly reasons: readonly string[]
  readonly rolesThatMay: readonly string[]
}

export interface Gateway {
  readonly registry: {
    add(tool: ToolDefinition | FunctionTool): void
    remove(id: ToolId): void
    /** By id or wire name. */
    get(idOrWireName: string): ToolDefinition | undefined
    /** Takes the definition of a tool as it is now for the right one, after it was held back. */
    allow(idOrWireName: string): void
    /** The digest by which a definition is pinned. */
    digest(idOrWireName: string): string | undefined
    /** The wire name of a tool, the one a provider and the model see. */
    wireName(idOrWireName: string): string | undefined
    list(context?: CallContext): readonly ToolDefinition[]
    search(
      queries: readonly string[],
      options?: { readonly limit?: number; readonly context?: CallContext },
    ): readonly {
      readonly query: string
      readonly hits: readonly { readonly id: ToolId; readonly score: number }[]
    }[]
    on(event: 'added' | 'changed' | 'removed', listener: (id: ToolId) => void): () => void
  }
  /** Never rejects for what a call, hook, tool or adapter did. */
  dispatch(call: ToolCallIn, context?: CallContext): Promise<ToolResult>
  runTurn(
    turn: AssistantTurn,
    context?: CallContext,
  ): Promise<{ readonly turn: AssistantTurn; readonly results: readonly ToolResult[] }>
  /** Continues a pending call, in this process or another. */
  resume(ticketId: string, decision: ApprovalDecision): Promise<ToolResult>
  /** What would happen to a call, and who might make it, without running it. Hooks are asked. */
  explain(call: ToolCallIn, context?: CallContext): Promise<Explanation>
  /**
   * What the model is shown, to be taken anew for each request: direct tools, the three bridge tools, and `result_read`
   * once a result is kept for it.
   */
  modelTools(context?: CallContext): readonly ModelTool[]
  /** How each adapter is. */
  health(): Promise<readonly AdapterHealth[]>
  start(): Promise<void>
  close(): Promise<void>
}
