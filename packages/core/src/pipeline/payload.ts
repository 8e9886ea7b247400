import type { CallPayload } from '@callgate/spec'

import type { Call } from './call.ts'
import type { Services } from './services.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** What the hooks of a call get: frozen, with the underlying tool's id and the entry's own call id (R4.1). */
export function payloadOf(call: Call, services: Services): CallPayload {
  return Object.freeze(parts(call, services))
}

/** The same with more fields, whose values must be frozen deeply already. */
export function payloadWith<More extends object>(
  call: Call,
  services: Services,
  more: More,
): CallPayload & More {
  // Not a spread: the signal must stay lazy.
  return Object.freeze(Object.assign(parts(call, services), more)) as CallPayload & More
}

function parts(call: Call, services: Services): CallPayload {
  const { parentCallId, batchIndex, batchSize } = call.lineage
  const payload = new Payload(call) as Payload & Writable<CallPayload>
  payload.callId = call.callId
  payload.attempt = Math.max(1, call.attempts)
  payload.tool = call.toolId
  payload.arguments = call.arguments as CallPayload['arguments']
  payload.context = call.context
  payload.call = (input) => services.nested(input, call)
  if (parentCallId !== undefined) payload.parentCallId = parentCallId
  if (batchIndex !== undefined) payload.batchIndex = batchIndex
  if (batchSize !== undefined) payload.batchSize = batchSize
  if (call.context.sessionId !== undefined) payload.sessionId = call.context.sessionId
  // Only a call that was never looked up has none, and only `post_tool_call` is fired for it.
  if (call.entry !== undefined) payload.definition = call.entry.definition
  return payload
}

/**
 * The signal is made only for a hook that looks at it. All payloads share one getter: with a getter of its own, as an
 * object literal makes it, each payload has a hidden class of its own, which keeps the call alive until a major
 * collection.
 */
class Payload {
  static readonly #signal: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: Payload) {
      return this.#call.stop.signal
    },
  }
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
    Object.defineProperty(this, 'signal', Payload.#signal)
  }
}
