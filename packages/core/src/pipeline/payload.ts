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
  const payload: Writable<Partial<CallPayload>> = {
    callId: call.callId,
    attempt: Math.max(1, call.attempts),
    tool: call.toolId,
    arguments: call.arguments as CallPayload['arguments'],
    context: call.context,
    // Made only for a hook that looks at it.
    get signal() {
      return call.stop.signal
    },
    call: (input) => services.nested(input, call),
  }
  if (parentCallId !== undefined) payload.parentCallId = parentCallId
  if (batchIndex !== undefined) payload.batchIndex = batchIndex
  if (batchSize !== undefined) payload.batchSize = batchSize
  if (call.context.sessionId !== undefined) payload.sessionId = call.context.sessionId
  // Only a call that was never looked up has none, and only `post_tool_call` is fired for it.
  if (call.entry !== undefined) payload.definition = call.entry.definition
  return payload as CallPayload
}
