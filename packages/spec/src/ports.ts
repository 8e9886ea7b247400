import type { CallContext } from './call.ts'
import type { Repair, ToolResult } from './result.ts'
import type { ToolId } from './tool.ts'

/** What the core asks of the outside: in-memory ones in core, durable ones in store. */
export interface Ports {
  readonly clock: {
    now(): number
    setTimeout(run: () => void, ms: number): unknown
    clearTimeout(timer: unknown): void
  }
  readonly ids: { next(kind: 'audit' | 'ticket' | 'call' | 'blob'): string }
  readonly random: { next(): number }
  readonly audit: { append(entry: object): void | Promise<void> }
  readonly statistics: { record(result: ToolResult): void }
  /** `durable` approvals let a turn end pending. */
  readonly approvals: {
    readonly durable: boolean
    put(request: ApprovalRequest): Promise<void>
    decide(ticketId: string, decision: ApprovalDecision): Promise<'decided' | 'gone'>
    claim(ticketId: string): Promise<ApprovalRequest | undefined>
    withdraw(ticketId: string): Promise<void>
    list(): Promise<readonly ApprovalRequest[]>
    grant(grant: ApprovalGrant): Promise<void>
    granted(request: ApprovalRequest): Promise<boolean>
  }
  readonly blobs: {
    open(options: { mediaType: string; name?: string }): {
      write(chunk: Uint8Array): Promise<void>
      close(): Promise<{ readonly blobId: string; readonly bytes: number }>
    }
    read(blobId: string, range: { readonly from: number; readonly to: number }): Promise<Uint8Array>
  }
}
export interface ApprovalRequest {
  readonly ticketId: string
  readonly callId: string
  readonly tool: ToolId
  readonly arguments: unknown
  /** SHA-256 over tool and canonical arguments; computed only when a human is asked. */
  readonly digest: string
  /** What a human reads first: `confirmMessage` filled in, or the first reason. */
  readonly message: string
  /** The message and the rule of every gate and layer that asked; a grant counts only if it covers every rule. Without a rule the grant is tool + exact arguments. */
  readonly reasons: readonly string[]
  readonly rules: readonly string[]
  readonly risk?: {
    readonly level: string
    readonly score: number
    readonly factors: readonly string[]
  }
  readonly repairs: readonly Repair[]
  readonly sessionId?: string
  readonly expiresAt: number
  /** What a resumed call enters the pipeline with. */
  readonly context: StoredContext
  readonly parentCallId?: string
  readonly batchIndex?: number
  readonly batchSize?: number
  /** A tool that changed since is held back (`definition_changed`). */
  readonly definitionDigest: string
}
export type StoredContext = Omit<CallContext, 'signal' | 'onProgress' | 'onExpanded' | 'onResult'>
/**
 * `digest` is of tool and exact arguments; absent where the rules carry the grant. A grant is for the tool as a person
 * approved it: it covers no request with another `definitionDigest`, and without one (of an older version) none at all.
 */
export interface ApprovalGrant {
  readonly scope: 'session' | 'always'
  readonly sessionId?: string
  readonly tool: ToolId
  readonly rules: readonly string[]
  readonly digest?: string
  readonly definitionDigest?: string
}
export type ApprovalDecision =
  | { readonly decision: 'approve'; readonly scope?: 'once' | 'session' | 'always' }
  | { readonly decision: 'deny'; readonly reason?: string }
  /** Asked again with the new digest. */
  | { readonly decision: 'edit'; readonly arguments: unknown }
