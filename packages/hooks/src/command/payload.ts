/**
 * What a command hook needs of a payload; it knows no event. Whatever else a payload holds goes to the command too,
 * as far as it is JSON.
 */
export interface CommandHookPayload {
  readonly callId?: string
  readonly sessionId?: string
  /** The id of a tool, such as `mcp::files::read`. */
  readonly tool?: string
  readonly arguments?: unknown
  /** Aborted: the command is ended and the handler throws the reason. */
  readonly signal?: AbortSignal
}

/** JSON text of a value without what JSON cannot hold: functions and signals go, bytes become base64. */
export function payloadText(value: object): string {
  return JSON.stringify(
    value,
    function (this: { readonly [key: string]: unknown }, key, part: unknown) {
      // As it is in the payload: a Buffer has made a list of numbers of itself by now.
      const given = this[key]
      if (given instanceof Uint8Array) return Buffer.from(given).toString('base64')
      if (part instanceof AbortSignal) return undefined
      return typeof part === 'bigint' ? part.toString() : part
    },
  )
}
