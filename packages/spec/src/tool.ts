/** A JSON Schema as data, any draft from 04 to 2020-12 (R5.1). */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }
/** RFC 6901, '' is the whole value. */
export type JsonPointer = string
/** namespace + '::' + name; the namespace may itself hold '::' (`mcp::server::tool`, `http::api::operation`). */
export type ToolId = string

/** What a tool is, as data. YAML and JSON files use the same words in snake_case; both article notations load into this. */
export interface ToolDefinition {
  readonly namespace: string
  readonly name: string
  readonly description: string
  readonly version?: string
  readonly category?: string
  readonly parameters: JsonSchema
  readonly outputs?: JsonSchema
  /** Which adapter runs it, and that adapter's own block (command, argsTemplate, operation, …). Functions use the built-in adapter `function`. */
  readonly backend: { readonly adapter: string; readonly [key: string]: unknown }
  readonly permissions?: {
    readonly tags?: readonly string[]
    readonly requiredRoles?: readonly string[]
    readonly deniedRoles?: readonly string[]
    /** Where layer 2 starts. */
    readonly riskLevel?: 'low' | 'medium' | 'high' | 'critical'
    /** Permits layer 3: a human is asked when layer 2 says high. */
    readonly requiresApproval?: boolean
  }
  /** Always asks a human. */
  readonly confirm?: boolean
  /** `{parameter}` placeholders. */
  readonly confirmMessage?: string
  readonly effects?: ToolEffects
  readonly limits?: {
    readonly perMinute?: number
    readonly perHour?: number
    readonly burst?: number
    readonly concurrency?: number
  }
  readonly timeoutMs?: number
  readonly retry?: {
    readonly maxRetries: number
    readonly backoff: 'fixed' | 'linear' | 'exponential'
    readonly initialDelayMs: number
    readonly retryable?: readonly string[]
  }
  readonly healthCheck?: {
    readonly intervalMs: number
    readonly timeoutMs: number
    readonly unhealthyThreshold: number
  }
  readonly fallback?: readonly ToolId[]
  /** Default: tools an adapter discovers are deferred, tools given to the gateway are direct. */
  readonly deferred?: boolean
  readonly groups?: readonly string[]
  readonly metadata?: { readonly [key: string]: unknown }
}

/** What a tool declares about its effects. A tool that declares nothing runs alone (exclusive). */
export interface ToolEffects {
  readonly readOnly?: boolean
  readonly idempotent?: boolean
  readonly destructive?: boolean
  readonly concurrency?: 'parallel' | 'exclusive'
  /** The answer changes by itself, as that of a job that runs: asking again and again is no loop. */
  readonly polls?: boolean
  /** Two calls conflict when one's resource equals the other's or is its parent (split at '/') and at least one writes. undefined or a throw: runs alone. */
  resources?(
    args: unknown,
  ): { readonly read?: readonly string[]; readonly write?: readonly string[] } | undefined
}
