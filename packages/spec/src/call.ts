import type { ToolResult } from './result.ts'

/** What a model or a person sees of a value: text or media. */
export type ContentPart = { readonly annotations?: { readonly [key: string]: unknown } } & (
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'file'
      readonly mediaType: string
      readonly data: Uint8Array
    }
  | {
      readonly type: 'resource'
      readonly uri: string
      readonly mediaType?: string
      readonly text?: string
      readonly data?: Uint8Array
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name?: string
      readonly mediaType?: string
    }
)

/** A call as a provider gave it; nothing about it is trusted. */
export interface ToolCallIn {
  readonly id?: unknown
  readonly name: string
  /** JSON text or a value. */
  readonly arguments: unknown
  readonly callId?: string
  readonly responseItemId?: string
  readonly extra?: unknown
}

/** One assistant message, before it is stored. Ordered provider blocks ride along; unknown carriers come back as the same objects. */
export interface AssistantTurn {
  readonly toolCalls: readonly ToolCallIn[]
  readonly contentBlocks?: {
    readonly anthropic?: readonly unknown[]
    readonly bedrock?: readonly unknown[]
    readonly [carrier: string]: unknown
  }
}

export interface CallContext {
  readonly sessionId?: string
  readonly user?: string
  readonly roles?: readonly string[]
  /** The workflow that is running, if any; none is free exploration. */
  readonly workflow?: string
  readonly mode?: string
  /** What the turn is about: ranks search, cuts lists by relevance. */
  readonly task?: string
  readonly labels?: { readonly [key: string]: string }
  /** Where the call is made, from the outside in, parted by `/` (`team/agent`): hooks of that scope or above hear of it. */
  readonly scope?: string
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
  readonly onProgress?: (progress: Progress) => void
  /** Awaited before any call of the turn starts: store the expanded message here (R2.1). A rejection cancels all calls. */
  readonly onExpanded?: (turn: AssistantTurn) => void | Promise<void>
  /** Awaited, once per call, in call order within a sequential segment, before its next call starts: write results one by one (R2.2). */
  readonly onResult?: (result: ToolResult) => void | Promise<void>
}
export interface Progress {
  readonly callId: string
  readonly fraction?: number
  readonly note?: string
  readonly partial?: ContentPart
}
