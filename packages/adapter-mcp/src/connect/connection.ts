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
  /** Tells the server something that it need not answer; nothing where its revision does not know that. */
  notify(method: string): Promise<void>
  /** Asks to be told of changes of a resource; gives back how to end that. */
  subscribe(uri: string, options: RequestOptions): Promise<() => Promise<void>>
  /** Ends it; a server that does not want to end is killed after `withinMs`. */
  close(withinMs?: number): Promise<void>
  /** How many messages came over it. */
  received(): number
  /** Milliseconds in which a human had the word. */
  humanMs(): number
  /** What else its server said: lines that were no messages, and the end of its stderr. */
  report(): ConnectionReport
  /** What is known about why it ended, for an error message; '' if nothing. */
  remains(): string
}

export interface ConnectionReport {
  readonly noiseLines: number
  readonly stderrTail: string
}

export interface ConnectionEvents {
  toolsChanged(): void
  resourceUpdated(uri: string): void
  /** A line of the server's own log. */
  logged(level: string, data: unknown): void
  /** Not called for a close that was asked for. */
  lost(): void
}

/** Sorts what a server says by itself. */
export function notify(events: ConnectionEvents, method: string, params: JsonRecord): void {
  const { uri, level, data } = params
  if (method === 'notifications/tools/list_changed') events.toolsChanged()
  else if (method === 'notifications/resources/updated' && typeof uri === 'string') {
    events.resourceUpdated(uri)
  } else if (method === 'notifications/message') {
    events.logged(typeof level === 'string' ? level : 'info', data)
  }
}
