import type { RequestOptions } from '../channel/channel.ts'
import type { Reply } from '../channel/reply.ts'
import type { JsonRecord } from '../record.ts'

/** One live connection to a server, whatever carries it. */
export interface Connection {
  readonly era: 'legacy' | 'modern'
  readonly info: { readonly name?: string; readonly version?: string }
  readonly instructions: string | undefined
  readonly capabilities: JsonRecord
  /** Never rejects. */
  request(method: string, params: JsonRecord, options: RequestOptions): Promise<Reply>
  /** Ends it in a bounded time. */
  close(): Promise<void>
  /** What is known about why it ended, for an error message; '' if nothing. */
  remains(): string
}

export interface ConnectionEvents {
  toolsChanged(): void
  /** Not called for a close that was asked for. */
  lost(): void
}
