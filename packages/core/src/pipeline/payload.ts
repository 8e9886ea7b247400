import type { CallPayload } from '@callgate/spec'

import type { StopSource } from '../turn/stop.ts'
import type { Call } from './call.ts'
import type { Services } from './services.ts'

/** What the hooks of a call get: frozen, with the underlying tool's id and the entry's own call id (R4.1). */
export function payloadOf(call: Call, services: Services): CallPayload {
  return Object.freeze(new Payload(call, services))
}

/** The same with more fields, whose values must be frozen deeply already. */
export function payloadWith<More extends object>(
  call: Call,
  services: Services,
  more: More,
): CallPayload & More {
  return Object.freeze(Object.assign(new Payload(call, services), more)) as CallPayload & More
}

class Payload implements CallPayload {
  readonly callId: string
  readonly attempt: number
  readonly tool: CallPayload['tool']
  readonly arguments: CallPayload['arguments']
  readonly context: CallPayload['context']
  readonly call: CallPayload['call']
  declare readonly parentCallId?: string
  declare readonly batchIndex?: number
  declare readonly batchSize?: number
  declare readonly sessionId?: string
  declare readonly definition: CallPayload['definition']
  readonly #stop: StopSource

  constructor(call: Call, services: Services) {
    const { parentCallId, batchIndex, batchSize } = call.lineage
    const { sessionId } = call.context
    this.#stop = call.stop
    this.callId = call.callId
    this.attempt = Math.max(1, call.attempts)
    this.tool = call.toolId
    this.arguments = call.arguments as CallPayload['arguments']
    this.context = call.context
    this.call = (input) => services.nested(input, call, call.stop)
    if (parentCallId !== undefined) this.parentCallId = parentCallId
    if (batchIndex !== undefined) this.batchIndex = batchIndex
    if (batchSize !== undefined) this.batchSize = batchSize
    if (sessionId !== undefined) this.sessionId = sessionId
    // Only a call that was never looked up has none, and only `post_tool_call` is fired for it.
    if (call.entry !== undefined) this.definition = call.entry.definition
  }

  /** Made only for a hook that looks at it. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }
}
