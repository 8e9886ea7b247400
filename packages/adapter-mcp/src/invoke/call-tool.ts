import type {
  AdapterCall,
  AdapterHost,
  AdapterOutput,
  FieldFault,
  InvokeContext,
  JsonSchema,
} from '@callgate/spec'

import { limitsOf, settingsOf } from '../connect/settings.ts'
import { paramHeaders, readParamHeaders, type ReadParamHeaders } from '../discover/param-headers.ts'
import type { ServerSettings } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import { admit } from '../servers/admission.ts'
import type { RequestExtras } from '../servers/requests.ts'
import type { RunningServer } from '../servers/running-server.ts'
import { cleanText } from '../text/clean.ts'
import { callAccess } from './access-call.ts'
import { argumentsOf } from './arguments.ts'
import { type OutputCheck, toOutput } from './output.ts'
import { callAsTask } from './task.ts'

/** Calls a tool once. @throws ToolError with the facts; whether the effect can have begun is in `started`. */
export type ToolCaller = (
  call: AdapterCall,
  context: InvokeContext,
  server: RunningServer,
) => Promise<AdapterOutput>

/** What is read of a schema once is kept as long as the schema lives: a call must not cost a walk through it. */
export function createToolCaller(host: AdapterHost): ToolCaller {
  const headersOf = perSchema<ReadParamHeaders>(readParamHeaders)
  const validatorOf = perSchema<(value: unknown) => readonly FieldFault[]>((schema) =>
    host.validator(schema),
  )

  function checkOf(
    { tool }: AdapterCall,
    { outputMismatch = 'warn' }: ServerSettings,
  ): OutputCheck {
    return tool.outputs === undefined || outputMismatch === 'off'
      ? { mismatch: outputMismatch }
      : { mismatch: outputMismatch, validate: validatorOf(tool.outputs) }
  }

  return async (call, context, server) => {
    const args = argumentsOf(call.arguments)
    const { tool: name, access, task } = call.tool.backend
    const settings = settingsOf(server.config, String(name))
    const declared = headersOf(call.tool.parameters)
    const extras: RequestExtras = {
      ...limitsOf(settings),
      signal: context.signal,
      call: {
        toolId: `${call.tool.namespace}::${call.tool.name}`,
        callId: call.callId,
        attempt: call.attempt,
      },
      onProgress: (progress) => context.progress(progressOf(progress)),
      ...('headers' in declared && declared.headers.length > 0
        ? { headers: paramHeaders(declared.headers, args) }
        : {}),
    }
    if (access !== undefined) return callAccess(call, access, server, extras)
    await admit(server, String(name), context.signal)
    const params = { name, arguments: args }
    const read = (result: unknown): Promise<AdapterOutput> =>
      toOutput(result, checkOf(call, settings))
    return task === true
      ? read(await callAsTask(server, params, extras, (note) => context.progress({ note })))
      : server.requests.send('tools/call', params, extras, read)
  }
}

function perSchema<T>(make: (schema: JsonSchema) => T): (schema: JsonSchema) => T {
  const made = new WeakMap<object, T>()
  return (schema) => {
    if (typeof schema !== 'object') return make(schema)
    let value = made.get(schema)
    if (value === undefined) {
      value = make(schema)
      made.set(schema, value)
    }
    return value
  }
}

function progressOf(raw: JsonRecord): { fraction?: number; note?: string } {
  const { progress, total, message } = raw
  const share =
    typeof progress === 'number' && typeof total === 'number' && total > 0
      ? progress / total
      : undefined
  return {
    ...(share === undefined ? {} : { fraction: Math.min(1, Math.max(0, share)) }),
    ...(typeof message === 'string' ? { note: cleanText(message) } : {}),
  }
}
