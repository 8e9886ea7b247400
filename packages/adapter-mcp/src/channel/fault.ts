/** Why a request has no result. Values inside the package; at its edge they become a `ToolError`. */
export type Fault =
  /** The server answered with a JSON-RPC error. */
  | {
      readonly kind: 'rpc'
      readonly code: number
      readonly message: string
      readonly data?: unknown
    }
  /** The request provably never reached the server. */
  | {
      readonly kind: 'unsent'
      readonly reason: string
      readonly cause?: unknown
    }
  /** The connection or the reply stream ended before the answer. */
  | { readonly kind: 'lost'; readonly reason: string; readonly cause?: unknown }
  | {
      readonly kind: 'timeout'
      readonly limit: 'idle' | 'total' | 'human'
      readonly ms: number
    }
  | { readonly kind: 'aborted'; readonly sent: boolean }
  | {
      readonly kind: 'http'
      readonly status: number
      readonly text: string
      readonly retryAfterMs?: number
    }
  | { readonly kind: 'unauthorized'; readonly reason: string; readonly url?: string }
  /** The session that the request named is gone; nothing ran. */
  | { readonly kind: 'session-lost'; readonly status: number; readonly text: string }
  | { readonly kind: 'too-large'; readonly bytes: number; readonly limit: number }

/** An error that carries a fault through code which can only throw: transports and the client library. */
export class FaultError extends Error {
  readonly fault: Fault

  constructor(fault: Fault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FaultError'
    this.fault = fault
  }
}

/** The fault in an error of any origin; `otherwise` is for errors that carry none. */
export function faultOf(error: unknown, otherwise: Fault): Fault {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof FaultError) return at.fault
  }
  return otherwise
}

/** Said of a reply stream that ended, or an acceptance without more. */
export const unanswered = 'ended without an answer'
