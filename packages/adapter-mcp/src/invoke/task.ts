import { ToolError } from '@callgate/spec'

import { createCallClock } from '../connect/call-clock.ts'
import { limitsOf } from '../connect/settings.ts'
import { taskLost } from '../connect/task-extension.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { pause, pollMs } from '../servers/pause.ts'
import type { RequestExtras } from '../servers/requests.ts'
import type { RunningServer } from '../servers/running-server.ts'
import { cleanText } from '../text/clean.ts'
import { toToolError } from './tool-error.ts'

const cancelMs = 5000

/**
 * Calls a tool that runs only as a task (experimental in revision 2025-11-25): the call gives back a task, which is
 * asked for until it has ended or wants input, and then for its result. A stop or a limit cancels the task.
 */
export async function callAsTask(
  server: RunningServer,
  params: JsonRecord,
  extras: RequestExtras,
  note: (text: string) => void,
): Promise<unknown> {
  const totalMs = extras.totalMs ?? limitsOf(server.config).totalMs
  const clock = createCallClock(totalMs, () => server.humanMs)
  const asked = { ...params, task: { ttl: totalMs } }
  const created = await server.requests.send('tools/call', asked, extras)
  let task = taskOf(created)
  if (task === undefined) return created
  const { taskId } = task
  const late = clock.signal
  const stop = AbortSignal.any([extras.signal, late])
  try {
    while (task?.['status'] === 'working' || task?.['status'] === 'submitted') {
      if (typeof task['statusMessage'] === 'string') note(cleanText(task['statusMessage']))
      // oxlint-disable-next-line no-await-in-loop -- polling is what the protocol offers
      await pause(pollMs(task['pollInterval']), stop)
      // oxlint-disable-next-line no-await-in-loop -- as above
      task = statusOf(await server.requests.send('tasks/get', { taskId }, { signal: stop }))
    }
    // A task that wants input asks while its result is waited for.
    const rest = { ...extras, totalMs: Math.max(1, clock.left()), signal: stop }
    return await server.requests.send('tasks/result', { taskId }, rest)
  } catch (error) {
    if (isOver(stop, error)) void cancel(server, taskId)
    if (!stop.aborted) throw begun(error, task, server.name)
    throw toToolError(
      late.aborted
        ? { kind: 'timeout', limit: 'total', ms: totalMs }
        : { kind: 'aborted', sent: true },
      server.name,
      '',
    )
  } finally {
    clock.stop()
  }
}

function taskOf(result: unknown): JsonRecord | undefined {
  const task = isRecord(result) ? result['task'] : undefined
  return isRecord(task) && typeof task['taskId'] === 'string' ? task : undefined
}

function statusOf(result: unknown): JsonRecord | undefined {
  return isRecord(result) ? result : undefined
}

/** The tool runs since there is a task: that a later request was refused, or not sent, says nothing of it. */
function begun(error: unknown, task: JsonRecord | undefined, server: string): unknown {
  // What is said of a task that failed is the answer of the tool.
  if (task?.['status'] === 'failed') return error
  if (!ToolError.isInstance(error) || error.started !== 'no') return error
  return toToolError(
    { kind: 'lost', reason: `${taskLost}: ${error.message}`, cause: error },
    server,
    '',
  )
}

/** Whether nobody waits for a task any more: a server that is too slow for its limits would go on with it as well. */
function isOver(stop: AbortSignal, error: unknown): boolean {
  return stop.aborted || (ToolError.isInstance(error) && error.code === 'timeout')
}

/** Best effort: the caller does not wait for it. */
async function cancel(server: RunningServer, taskId: unknown): Promise<void> {
  const signal = AbortSignal.timeout(cancelMs)
  await server.requests.send('tasks/cancel', { taskId }, { signal }).catch(() => undefined)
}
