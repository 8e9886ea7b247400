import { withInputRequired } from '../callbacks/input-required.ts'
import type { Channel, RequestOptions } from '../channel/channel.ts'
import { type Fault, FaultError, faultOf } from '../channel/fault.ts'
import type { Reply } from '../channel/reply.ts'
import { faultError } from '../http/status.ts'
import type { JsonRecord } from '../record.ts'
import { abortable } from '../servers/abortable.ts'
import { createCallClock } from './call-clock.ts'
import { followTask, type TaskDriver } from './task-extension.ts'

export type Answer = (
  method: string,
  params: JsonRecord,
  signal: AbortSignal,
) => Promise<JsonRecord>

/**
 * A request of revision 2026-07-28, whose server asks its questions by answering `input_required`. While a question
 * is open no request is, so its limit and the caller's stop are watched here.
 */
export async function requestInRounds(
  channel: Channel,
  answer: Answer,
  method: string,
  params: JsonRecord,
  options: RequestOptions,
): Promise<Reply> {
  const clock = createCallClock(options.totalMs, () => channel.humanMs)
  const send: TaskDriver['send'] = async (asked, about, given) => {
    const over: Fault = { kind: 'timeout', limit: 'total', ms: options.totalMs }
    const totalMs = Math.min(given.totalMs, clock.left())
    if (totalMs <= 0) return { fault: over }
    const reply = await channel.request(asked, about, { ...given, totalMs })
    const late = 'fault' in reply && reply.fault.kind === 'timeout' && reply.fault.limit === 'total'
    return late ? { fault: over } : reply
  }
  const cancel: TaskDriver['cancel'] = (...request) => channel.request(...request)
  try {
    const ask = (asked: string, about: JsonRecord): Promise<JsonRecord> =>
      answerInTime(answer, asked, about, options)
    const reply = await withInputRequired(params, (round) => send(method, round, options), ask)
    return await followTask(reply, { send, cancel, answer: ask, clock }, options)
  } catch (error) {
    const fault: Fault = {
      kind: 'lost',
      reason: 'a question of the server was not answered',
      cause: error,
    }
    return { fault: faultOf(error, fault) }
  } finally {
    clock.stop()
  }
}

async function answerInTime(
  answer: Answer,
  method: string,
  params: JsonRecord,
  options: RequestOptions,
): Promise<JsonRecord> {
  const late = AbortSignal.timeout(options.humanMs)
  const stop = options.signal === undefined ? late : AbortSignal.any([options.signal, late])
  try {
    return await abortable(answer(method, params, stop), stop)
  } catch (error) {
    if (options.signal?.aborted === true) throw faultError({ kind: 'aborted', sent: true })
    if (late.aborted) throw faultError({ kind: 'timeout', limit: 'human', ms: options.humanMs })
    // Where nobody can be asked the call goes on without, and ends as the server sees fit.
    if (method === 'elicitation/create') return { action: 'decline' }
    throw new FaultError(
      {
        kind: 'rpc',
        code: -32_021,
        message: `The server asks for ${method}, which is not offered.`,
      },
      'not offered',
      { cause: error },
    )
  }
}
