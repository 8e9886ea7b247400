import type { AdapterOutput } from '@callgate/spec'

import { StopSource } from '../turn/stop.ts'
import { BoundedWait } from './bounded-wait.ts'
import type { Call, Produced } from './call.ts'
import { hookFailure, HookNote } from './hook-failures.ts'
import { invokeTool } from './invoke.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import { producedByOutput, producedByThrow, recorded, Refused } from './produced.ts'
import type { Services } from './services.ts'

/** One attempt: breaker( timeout( `tool_execution` hooks ( invoke ))). Never throws. */
export function attempt(call: Call, services: Services, timeoutMs: number): Maybe<Produced> {
  const stop = new StopSource(call.stop)
  let output: Maybe<AdapterOutput>
  try {
    call.outcome = 'unknown'
    output = services.bus.has('tool_execution')
      ? insideHooks(call, services, stop)
      : invokeTool(call, services, stop)
  } catch (error) {
    stop.release()
    return recorded(producedByThrow(error, call, services), call, services)
  }
  if (!isPromiseLike(output)) {
    stop.release()
    return recorded(producedByOutput(output, call, services), call, services)
  }
  return new BoundedWait(call, services, stop, timeoutMs).for(output)
}

async function insideHooks(
  call: Call,
  services: Services,
  stop: StopSource,
): Promise<AdapterOutput> {
  let ran = false
  const next = async (): Promise<AdapterOutput> => {
    ran = true
    return invokeTool(call, services, stop)
  }
  const outcome = await services.bus.run('tool_execution', payloadWith(call, services, { next }), {
    subject: call.toolId,
  })
  if (outcome.trace.length > 0) call.notes.push(new HookNote('tool_execution', outcome.trace))
  if (outcome.blockedBy !== undefined) {
    throw new Refused({ ...hookFailure(outcome.blockedBy), started: ran ? 'unknown' : 'no' })
  }
  if (outcome.thrown !== undefined) throw outcome.thrown.error
  return outcome.value as AdapterOutput
}
