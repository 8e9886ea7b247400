/** Bounds of one exchange. The deadline of the whole call is the core's, by its signal. */
export interface HttpLimits {
  /** Until a connection stands; default 10 000 ms. */
  readonly connectTimeoutMs?: number
  /** From the request to the head of the answer; default 300 000 ms. */
  readonly headersTimeoutMs?: number
  /** Between two pieces of a body; default 300 000 ms. */
  readonly idleTimeoutMs?: number
  /** The largest body that is sent; default 16 MiB. */
  readonly requestBytes?: number
  /** The largest answer kept in memory; what is longer is streamed to a blob; default 1 MiB. */
  readonly inlineBytes?: number
  /** The largest answer at all, in decoded bytes; default 256 MiB. */
  readonly responseBytes?: number
  /** The most events of an event stream; default 1 000. */
  readonly events?: number
  /** Connections kept per origin; default 16. */
  readonly connections?: number
}

const kibi = 1024

export const defaultLimits: Required<HttpLimits> = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 300_000,
  idleTimeoutMs: 300_000,
  requestBytes: 16 * kibi * kibi,
  inlineBytes: kibi * kibi,
  responseBytes: 256 * kibi * kibi,
  events: 1_000,
  connections: 16,
}
