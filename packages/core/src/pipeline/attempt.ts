import type { AdapterOutput } from '@callgate/spec'

import { StopSource } from '../turn/stop.ts'
import { aboutCall } from './about-call.ts'
import { BoundedWait } from './bounded-wait.ts'
import type { Call, Produced } from './call.ts'
import type { Settle } from './execution.ts'
import { hookFailure, HookNote } from './hook-failures.ts'
import { bodyOf, invokeTool, outputOf, refuseStopped } from './invoke.ts'
import { refuseWithdrawn } from './lookup.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { payloadWith } from './payload.ts'
import { producedByOutput, producedByThrow, recorded } from './produced.ts'
import { Refused } from './refused.ts'
import type { Services } from './services.ts'

/**
 * One attempt: breaker( timeout( `tool_execution` hooks ( invoke ))), then `settle` in the same go: a promise between
 * the two would cost more than either. Throws only what `settle` throws.
 */
export function attempt(
  call: Call,
  services: Services,
  timeoutMs: number,
  settle: Settle,
): Maybe<Produced> {
  const stop = new StopSource(call.stop)
  const hooked = services.bus.has('tool_execution')
  const read = hooked ? hooksOutput : outputOf
  let value: Maybe<unknown>
  let output: AdapterOutput
  try {
    call.outcome = 'unknown'
    value = hooked ? insideHooks(call, services, stop) : invokeTool(call, services, stop)
    if (isPromiseLike(value)) {
      return new BoundedWait({ call, services, stop, timeoutMs, read, settle }).for(value)
    }
    output = read(value, call)
  } catch (error) {
    stop.release()
    return settle(call, services, recorded(producedByThrow(error, call, services), call, services))
  }
  stop.release()
  return settle(call, services, recorded(producedByOutput(output, call, services), call, services))
}

async function insideHooks(call: Call, services: Services, stop: StopSource): Promise<unknown> {
  let ran = false
  let over = false
  const next = async (): Promise<AdapterOutput> => {
    refuseStopped(stop)
    if (over) throw new Error('next was called after the hooks had answered')
    refuseWithdrawn(call, services)
    ran = true
    const value = await invokeTool(call, services, stop)
    return outputOf((await bodyOf(value, { call, services, stop })) ?? value, call)
  }
  const outcome = await services.bus.run(
    'tool_execution',
    payloadWith(call, services, { next }),
    aboutCall(call, services),
  )
  // A bus made by others may let a hook keep it.
  over = true
  if (outcome.trace.length > 0) call.notes.push(new HookNote('tool_execution', outcome.trace))
  if (outcome.blockedBy !== undefined) {
    throw new Refused({
      ...hookFailure(outcome.blockedBy, services.redactor),
      started: ran ? 'unknown' : 'no',
    })
  }
  if (outcome.thrown !== undefined) throw outcome.thrown.error
  return outcome.value
}

const hooksOutput = (value: unknown): AdapterOutput => value as AdapterOutput
