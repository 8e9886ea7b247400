import { freezeShell } from '@callgate/hooks'
import type { CallPayload, ToolDefinition } from '@callgate/spec'

import type { Call } from './call.ts'
import type { Services } from './services.ts'

/** What the hooks of a call get: frozen, with the underlying tool's id and the entry's own call id (R4.1). */
export function payloadOf(call: Call, services: Services): CallPayload {
  return freezeShell(parts(call, services))
}

/** The same with more fields, whose values must be frozen deeply already. */
export function payloadWith<More extends object>(
  call: Call,
  services: Services,
  more: More,
): CallPayload & More {
  // Not a spread: the signal must stay lazy.
  const payload = parts(call, services) as CallPayload & More
  return freezeShell(Object.assign(payload, more))
}

function parts(call: Call, services: Services): CallPayload {
  const { parentCallId, batchIndex, batchSize } = call.lineage
  const { sessionId } = call.context
  const definition = call.entry?.definition
  return {
    callId: call.callId,
    ...(parentCallId === undefined ? {} : { parentCallId }),
    ...(batchIndex === undefined ? {} : { batchIndex }),
    ...(batchSize === undefined ? {} : { batchSize }),
    attempt: Math.max(1, call.attempts),
    ...(sessionId === undefined ? {} : { sessionId }),
    tool: call.toolId,
    // Only a call that was never looked up has none, and only `post_tool_call` is fired for it.
    ...((definition === undefined ? {} : { definition }) as { definition: ToolDefinition }),
    arguments: call.arguments as CallPayload['arguments'],
    context: call.context,
    // Made only for a hook that looks at it.
    get signal() {
      return call.stop.signal
    },
    call: (input) => services.nested(input, call),
  }
}
