import type { Reply } from '../channel/reply.ts'
import { isRecord, type JsonRecord } from '../record.ts'

const maxRounds = 10

/**
 * Drives a request of revision 2026-07-28 that comes back asking for input: each question is answered, and the
 * request is sent again with the answers and the server's state, untouched, as a new request.
 *
 * @param send sends one round and gives back its raw reply.
 * @param answer answers one question; a rejection becomes a declined question.
 */
export async function withInputRequired(
  params: JsonRecord,
  send: (params: JsonRecord) => Promise<Reply>,
  answer: (method: string, params: JsonRecord) => Promise<JsonRecord>,
): Promise<Reply> {
  let reply = await send(params)
  for (let round = 0; round < maxRounds; round += 1) {
    const asked = 'result' in reply ? questions(reply.result) : undefined
    if (asked === undefined) return reply
    const inputResponses = await answerAll(asked.requests, answer)
    reply = await send({
      ...params,
      inputResponses,
      ...(asked.state === undefined ? {} : { requestState: asked.state }),
    })
  }
  return 'result' in reply && questions(reply.result) !== undefined
    ? {
        fault: {
          kind: 'rpc',
          code: 0,
          message: `The server asked for input more than ${String(maxRounds)} times.`,
        },
      }
    : reply
}

function questions(result: unknown): { requests: JsonRecord; state: unknown } | undefined {
  if (!isRecord(result) || result['resultType'] !== 'input_required') return undefined
  const requests = result['inputRequests']
  return { requests: isRecord(requests) ? requests : {}, state: result['requestState'] }
}

async function answerAll(
  requests: JsonRecord,
  answer: (method: string, params: JsonRecord) => Promise<JsonRecord>,
): Promise<JsonRecord> {
  const entries: [string, JsonRecord][] = []
  // One after the other: two questions at once on one screen confuse who has to answer.
  for (const [key, request] of Object.entries(requests)) {
    if (!isRecord(request)) continue
    const params = isRecord(request['params']) ? request['params'] : {}
    entries.push([key, await answer(String(request['method']), params)])
  }
  return Object.fromEntries(entries)
}
