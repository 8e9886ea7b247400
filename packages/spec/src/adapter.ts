import type { ContentPart } from './call.ts'
import type { ToolErrorInit } from './errors.ts'
import type { FieldFault } from './result.ts'
import type { JsonSchema, ToolDefinition } from './tool.ts'

/** Contract v1 of an adapter: plain data and one factory; recognised by brand, never by prototype. */
export interface AdapterDefinition<Options> {
  readonly contract: 1
  readonly name: string
  readonly capabilities: {
    readonly cancel?: boolean
    readonly progress?: boolean
    readonly health?: boolean
    readonly batch?: boolean
    readonly dynamic?: boolean
    readonly idempotencyKey?: boolean
    /** 'none' is said, never implied. */
    readonly isolation?: string
  }
  readonly configSchema: JsonSchema
  /** No I/O here. */
  create(options: Options, host: AdapterHost): AdapterInstance
}
export interface BoundAdapter {
  /** Default: the definition's name. `backend.adapter` of a tool means this one; two alike are refused at set-up. */
  readonly name: string
  readonly definition: Omit<AdapterDefinition<never>, 'create'>
  create(host: AdapterHost): AdapterInstance
}
export type DefineAdapter = <Options>(
  definition: AdapterDefinition<Options>,
) => (options: Options & { readonly name?: string }) => BoundAdapter

export interface AdapterHost {
  readonly log: Logger
  /** Validates by the core's coercion package; adapters neither coerce nor carry a validator. */
  validator(schema: JsonSchema): (value: unknown) => readonly FieldFault[]
  secret(name: string): string
  toolsChanged(): void
}
export interface AdapterInstance {
  start?(signal: AbortSignal): Promise<void>
  /** Tools that the backend announces (MCP, OpenAPI). `namespace` is completed by the host. */
  discover?(
    signal: AbortSignal,
  ): Promise<readonly (Omit<ToolDefinition, 'namespace'> & { readonly namespace?: string })[]>
  /** A tool declared in a file or in code for this adapter: refuse a bad backend block here, naming the rule. */
  accept?(tool: ToolDefinition): void
  invoke(call: AdapterCall, context: InvokeContext): Promise<AdapterOutput>
  /** Only with `capabilities.batch`: results in the order of the calls. */
  invokeBatch?(
    calls: readonly AdapterCall[],
    context: InvokeContext,
  ): Promise<readonly (AdapterOutput | { readonly error: ToolErrorInit })[]>
  health?(
    signal: AbortSignal,
  ): Promise<{ readonly state: 'ok' | 'degraded' | 'down'; readonly reason?: string }>
  stop?(options: { readonly graceMs: number }): Promise<void>
}
export interface AdapterCall {
  readonly callId: string
  readonly tool: ToolDefinition
  /** Frozen, coerced, validated, approved. */
  readonly arguments: { readonly [name: string]: unknown }
  readonly idempotencyKey: string
  readonly attempt: number
}
export interface InvokeContext {
  readonly signal: AbortSignal
  readonly sessionId?: string
  readonly log: Logger
  progress(progress: { fraction?: number; note?: string; partial?: ContentPart }): void
  /** Large output goes here as a stream; the core decides what the model sees of it. */
  blob(options: { mediaType: string; name?: string }): {
    write(chunk: Uint8Array): Promise<void>
    close(): Promise<{ readonly blobId: string; readonly bytes: number }>
  }
}
export interface AdapterOutput {
  readonly data?: unknown
  readonly content?: readonly ContentPart[]
  /** The tool ran and says it failed: the model should read it (`tool_failed`). */
  readonly isError?: boolean
  readonly metadata?: { readonly [key: string]: unknown }
}

export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}
