import { ToolError, type AdapterCall, type AdapterOutput } from '@callgate/spec'

import { compositeAdapter } from '../registry/composite.ts'
import { functionAdapter } from '../registry/tool-entry.ts'
import { isBody, readBody, type Body } from '../results/body.ts'
import type { Stop, StopSource } from '../turn/stop.ts'
import type { Call } from './call.ts'
import { CallInvokeContext } from './invoke-context.ts'
import { refuseWithdrawn } from './lookup.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { runComposite } from './run-composite.ts'
import type { Services } from './services.ts'

/** A call as an adapter sees it: the innermost step of an attempt. What it gives is read by `outputOf`. */
export function invokeTool(call: Call, services: Services, stop: StopSource): Maybe<unknown> {
  if (call.invoke !== undefined) return call.invoke(call)
  const entry = call.entry!
  if (entry.answer !== undefined) return entry.answer(call.arguments as never, call.context)
  if (entry.definition.backend.adapter === compositeAdapter)
    return runComposite(call, services, stop)
  const context = new CallInvokeContext(call, services, stop)
  if (entry.execute !== undefined) {
    const value = entry.execute(call.arguments as never, context)
    return isBody(value) ? readWhole(value, context, stop) : value
  }
  const adapter = services.adapters.running(entry.definition.backend.adapter)
  const request = requestOf(call, services, call.attempts - call.attemptsBefore)
  return isPromiseLike(adapter)
    ? adapter.then((instance) => {
        refuseStopped(stop)
        refuseWithdrawn(call, services)
        return instance.invoke(request, context)
      })
    : adapter.invoke(request, context)
}

/** Nothing starts for a call that has its answer, however late what it waited for comes. @throws ToolError `cancelled` */
export function refuseStopped({ stopped }: Stop): void {
  if (!stopped) return
  const message = 'The call was stopped before it started.'
  throw new ToolError({ code: 'cancelled', message, started: 'no' })
}

/** What a function returned is read where it has to be: at once here, or when its promise gave it. */
export function bodyOf(
  value: unknown,
  { call, services, stop }: Invoked,
): Promise<AdapterOutput> | undefined {
  return isFunctionCall(call) && isBody(value)
    ? readWhole(value, new CallInvokeContext(call, services, stop), stop)
    : undefined
}

interface Invoked {
  readonly call: Call
  readonly services: Services
  readonly stop: StopSource
}

async function readWhole(
  body: Body,
  context: CallInvokeContext,
  stop: StopSource,
): Promise<AdapterOutput> {
  const onText = (text: string): void => context.progress({ partial: { type: 'text', text } })
  return toolOutput(await readBody(body, { stop, onText }))
}

/** Providers give the same ids again and again (`call_0`), so the key of a call is its own; its attempts share it. */
export function requestOf(call: Call, services: Services, attempt: number): AdapterCall {
  return {
    callId: call.callId,
    tool: call.entry!.definition,
    arguments: call.arguments as AdapterCall['arguments'],
    idempotencyKey: (call.idempotencyKey ??= services.ports.ids.next('call')),
    attempt,
  }
}

/**
 * What a function returns is its data; a value of the form of an adapter's output stays one if it says so. What an
 * adapter returns is an output.
 */
export function outputOf(value: unknown, call: Call): AdapterOutput {
  const { answer, execute } = call.entry!
  if (answer !== undefined) return { data: value }
  if (execute === undefined || call.invoke !== undefined) return value as AdapterOutput
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
