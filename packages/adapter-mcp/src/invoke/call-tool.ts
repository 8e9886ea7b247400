import type { AdapterCall, AdapterHost, AdapterOutput, InvokeContext } from '@callgate/spec'

import { paramHeaders, readParamHeaders } from '../discover/param-headers.ts'
import type { ServerSettings } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import type { RequestExtras, RunningServer } from '../servers/running-server.ts'
import { cleanText } from '../text/clean.ts'
import { argumentsOf } from './arguments.ts'
import { type OutputCheck, toOutput } from './output.ts'
import { callAsTask } from './task.ts'

/**
 * Calls a tool once.
 *
 * @throws ToolError with the facts; whether the effect can have begun is in `started`.
 */
export async function callTool(
  call: AdapterCall,
  context: InvokeContext,
  server: RunningServer,
  host: AdapterHost,
): Promise<AdapterOutput> {
  const args = argumentsOf(call.arguments)
  const params = { name: call.tool.backend['tool'], arguments: args }
  const declared = readParamHeaders(call.tool.parameters)
  const extras: RequestExtras = {
    signal: context.signal,
    onProgress: (progress) => context.progress(progressOf(progress)),
    ...('headers' in declared && declared.headers.length > 0
      ? { headers: paramHeaders(declared.headers, args) }
      : {}),
  }
  await server.confirm(params.name, context.signal)
  const result =
    call.tool.backend['task'] === true
      ? await callAsTask(server, params, extras, (note) => context.progress({ note }))
      : await server.request('tools/call', params, extras)
  return toOutput(result, checkOf(call, server.config, host))
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

function checkOf(call: AdapterCall, settings: ServerSettings, host: AdapterHost): OutputCheck {
  const { outputs } = call.tool
  const mismatch = settings.outputMismatch ?? 'warn'
  return outputs === undefined ? { mismatch } : { mismatch, validate: host.validator(outputs) }
}
