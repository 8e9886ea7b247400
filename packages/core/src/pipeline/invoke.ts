import type { AdapterCall, AdapterOutput } from '@callgate/spec'

import { compositeAdapter } from '../registry/composite.ts'
import { functionAdapter } from '../registry/tool-entry.ts'
import type { StopSource } from '../turn/stop.ts'
import type { Call } from './call.ts'
import { CallInvokeContext } from './invoke-context.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { runComposite } from './run-composite.ts'
import type { Services } from './services.ts'

/** A call as an adapter sees it: the innermost step of an attempt. */
export function invokeTool(call: Call, services: Services, stop: StopSource): Maybe<AdapterOutput> {
  if (call.invoke !== undefined) return call.invoke(call)
  const entry = call.entry!
  if (entry.answer !== undefined) {
    const data = entry.answer(call.arguments as never, call.context)
    return isPromiseLike(data) ? Promise.resolve(data).then((value) => ({ data: value })) : { data }
  }
  if (entry.definition.backend.adapter === compositeAdapter) return runComposite(call, services)
  const context = new CallInvokeContext(call, services, stop)
  if (entry.execute !== undefined) {
    const value = entry.execute(call.arguments as never, context)
    // A function may return any thenable.
    return isPromiseLike(value) ? Promise.resolve(value).then(outputOf) : outputOf(value)
  }
  const adapter = services.adapters.running(entry.definition.backend.adapter)
  const request = requestOf(call, call.attempts)
  return isPromiseLike(adapter)
    ? adapter.then((instance) => instance.invoke(request, context))
    : adapter.invoke(request, context)
}

export function requestOf(call: Call, attempt: number): AdapterCall {
  return {
    callId: call.callId,
    tool: call.entry!.definition,
    arguments: call.arguments as AdapterCall['arguments'],
    idempotencyKey: call.callId,
    attempt,
  }
}

/** What a function returns is its data; a value of the form of an adapter's output stays one if it says so. */
function outputOf(value: unknown): AdapterOutput {
  return isToolOutput(value) ? value : { data: value }
}

const outputBrand = Symbol.for('callgate.tool-output.v1')

/**
 * Marks what a function returns as a whole output: data, content parts (text, images, resources), or `isError`.
 * Without it whatever a function returns is its data.
 */
export function toolOutput(output: AdapterOutput): AdapterOutput {
  return Object.defineProperty({ ...output }, outputBrand, { value: true })
}

function isToolOutput(value: unknown): value is AdapterOutput {
  return typeof value === 'object' && value !== null && outputBrand in value
}

export function isFunctionCall(call: Call): boolean {
  return call.entry!.definition.backend.adapter === functionAdapter
}
