import type { AdapterCall, AdapterHost, AdapterOutput, InvokeContext } from '@callgate/spec'
import { ToolError } from '@callgate/spec'

import type { Reply } from '../channel/reply.ts'
import type { Connection } from '../connect/connection.ts'
import { limitsOf } from '../connect/settings.ts'
import type { ServerSettings } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import type { Supervisor } from '../servers/supervisor.ts'
import { cleanText } from '../text/clean.ts'
import { argumentsOf } from './arguments.ts'
import { type OutputCheck, toOutput } from './output.ts'
import { toToolError } from './tool-error.ts'

/** A server as a call needs it. */
export interface CallTarget {
  readonly server: string
  readonly settings: ServerSettings
  readonly supervisor: Supervisor
}

/**
 * Calls a tool once. Sent again, on a new session, only where the server said that the session of the first attempt
 * is gone, so that it never ran.
 *
 * @throws ToolError with the facts; whether the effect can have begun is in `started`.
 */
export async function callTool(
  call: AdapterCall,
  context: InvokeContext,
  target: CallTarget,
  host: AdapterHost,
): Promise<AdapterOutput> {
  const params = { name: String(call.tool.backend['tool']), arguments: argumentsOf(call.arguments) }
  const { supervisor, server } = target
  const send = (connection: Connection): Promise<Reply> =>
    connection.request('tools/call', params, {
      ...limitsOf(target.settings),
      signal: context.signal,
      onProgress: (progress) => context.progress(progressOf(progress)),
    })

  let connection = await connected(supervisor.connection(context.signal), context, server)
  let reply = await send(connection)
  if ('fault' in reply && reply.fault.kind === 'session-lost') {
    connection = await connected(supervisor.renew(connection, context.signal), context, server)
    reply = await send(connection)
  }
  if ('fault' in reply) throw toToolError(reply.fault, server, connection.remains())
  return toOutput(reply.result, checkOf(call, target.settings, host))
}

/** The caller's stop while the server is still being started is a stop, not a failure of the server. */
async function connected(
  work: Promise<Connection>,
  context: InvokeContext,
  server: string,
): Promise<Connection> {
  try {
    return await work
  } catch (error) {
    if (context.signal.aborted) throw toToolError({ kind: 'aborted', sent: false }, server, '')
    if (ToolError.isInstance(error)) throw error
    throw toToolError({ kind: 'unsent', reason: 'not connected', cause: error }, server, '')
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

function checkOf(call: AdapterCall, settings: ServerSettings, host: AdapterHost): OutputCheck {
  const { outputs } = call.tool
  const mismatch = settings.outputMismatch ?? 'warn'
  return outputs === undefined ? { mismatch } : { mismatch, validate: host.validator(outputs) }
}
