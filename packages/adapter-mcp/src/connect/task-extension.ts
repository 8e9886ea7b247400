import type { RequestOptions } from '../channel/channel.ts'
import { type Fault, faultOf } from '../channel/fault.ts'
import type { Reply } from '../channel/reply.ts'
import { faultError } from '../http/status.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { pause, pollMs } from '../servers/pause.ts'
import type { CallClock } from './call-clock.ts'

/** The name by which client and server tell each other that they know tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Said where nobody knows how a task ends. */
export const taskLost = 'the task could not be followed'

export interface TaskDriver {
  send(method: string, params: JsonRecord, options: RequestOptions): Promise<Reply>
  /** As `send`, but not within the time of the call, which may be over. */
  cancel(method: string, params: JsonRecord, options: RequestOptions): Promise<Reply>
  /** Answers one question; rejects with a `FaultError` when the call cannot go on. */
  answer(method: string, params: JsonRecord): Promise<JsonRecord>
  /** Of the whole call. */
  readonly clock: CallClock
}

/**
 * Follows a call that the server turned into a task (SEP-2663) to its end: asks how it stands, hands over the answers
 * it wants, and gives its result or error as if the call had been answered with it. A stop, or the total limit, cancels
 * the task.
 */
export async function followTask(
  reply: Reply,
  driver: TaskDriver,
  options: RequestOptions,
): Promise<Reply> {
  const task = 'result' in reply ? reply.result : undefined
  if (!isRecord(task) || task['resultType'] !== 'task') return reply
  const { taskId } = task
  const late = driver.clock.signal
  const stop = options.signal === undefined ? late : AbortSignal.any([options.signal, late])
  try {
    return await follow(task, driver, { ...options, signal: stop })
  } catch (error) {
    void driver.cancel('tasks/cancel', { taskId }, limitsOnly(options))
    if (options.signal?.aborted === true) return { fault: { kind: 'aborted', sent: true } }
    if (!late.aborted) return { fault: begun(error) }
    return { fault: { kind: 'timeout', limit: 'total', ms: options.totalMs } }
  }
}

/** The tool runs since there is a task: that a later request was refused, or not sent, says nothing of it. */
function begun(error: unknown): Fault {
  const lost: Fault = { kind: 'lost', reason: taskLost, cause: error }
  const fault = faultOf(error, lost)
  if (fault.kind === 'timeout' || fault.kind === 'too-large') return fault
  const why = fault.kind === 'rpc' ? fault.message : (error as Error).message
  return { ...lost, reason: `${taskLost}: ${why}` }
}

async function follow(
  created: JsonRecord,
  driver: TaskDriver,
  options: RequestOptions & { readonly signal: AbortSignal },
): Promise<Reply> {
  const { taskId } = created
  const answered = new Set<string>()
  let task = created
  for (;;) {
    const ended = endOf(task)
    if (ended !== undefined) return ended
    if (typeof task['statusMessage'] === 'string') {
      options.onProgress?.({ message: task['statusMessage'] })
    }
    // oxlint-disable-next-line no-await-in-loop -- polling is what the protocol offers
    const inputResponses = await answersTo(task, driver, answered)
    if (Object.keys(inputResponses).length > 0) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      resultOf(await driver.send('tasks/update', { taskId, inputResponses }, options))
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause(pollMs(task['pollIntervalMs']), options.signal)
    // oxlint-disable-next-line no-await-in-loop -- as above
    task = resultOf(await driver.send('tasks/get', { taskId }, options))
  }
}

function endOf(task: JsonRecord): Reply | undefined {
  const { status, result, error } = task
  if (status === 'completed') return { result }
  if (status === 'cancelled') {
    return { fault: { kind: 'rpc', code: 0, message: 'the server cancelled the task' } }
  }
  if (status !== 'failed') return undefined
  const { code, message, data } = isRecord(error) ? error : {}
  return {
    fault: {
      kind: 'rpc',
      code: typeof code === 'number' ? code : 0,
      message: typeof message === 'string' ? message : 'the task failed',
      ...(data === undefined ? {} : { data }),
    },
  }
}

/** Each question is put once, however often the server repeats it before it has seen the answer. */
async function answersTo(
  task: JsonRecord,
  driver: TaskDriver,
  answered: Set<string>,
): Promise<JsonRecord> {
  const requests = isRecord(task['inputRequests']) ? task['inputRequests'] : {}
  const responses: Record<string, JsonRecord> = {}
  for (const [key, request] of Object.entries(requests)) {
    if (!isRecord(request) || answered.has(key)) continue
    answered.add(key)
    const params = isRecord(request['params']) ? request['params'] : {}
    // oxlint-disable-next-line no-await-in-loop -- two questions at once on one screen confuse who has to answer
    responses[key] = await driver.answer(String(request['method']), params)
  }
  return responses
}

function resultOf(reply: Reply): JsonRecord {
  if ('fault' in reply) throw faultError(reply.fault)
  return isRecord(reply.result) ? reply.result : {}
}

/** Without the caller's signal, which may have fired. */
function limitsOnly({ idleMs, totalMs, humanMs }: RequestOptions): RequestOptions {
  return { idleMs, totalMs, humanMs }
}
