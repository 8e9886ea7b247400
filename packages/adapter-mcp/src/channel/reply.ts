import type { Fault } from './fault.ts'

/** An answer as a value: the raw result, or why there is none. */
export type Reply =
  /** `bytes` is the size of the message that brought it, where that is known. */
  { readonly result: unknown; readonly bytes?: number } | { readonly fault: Fault }

/** What transports of this package say of a message beside it. */
export interface MessageSize {
  readonly bytes: number
}
