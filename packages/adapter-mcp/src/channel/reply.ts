import type { Fault } from './fault.ts'

/** An answer as a value: the raw result, or why there is none. */
export type Reply = { readonly result: unknown } | { readonly fault: Fault }
