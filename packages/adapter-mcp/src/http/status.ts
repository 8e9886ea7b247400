import { type Fault, FaultError } from '../channel/fault.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import type { Answer } from './answer.ts'

/**
 * How servers say that a session is gone when they do not say it by 404. No word about sessions but these: what was
 * refused for another reason may have run, and must not be sent again.
 */
const sessionText =
  /session(?:[ -]id)?(?: header)? (?:(?:is|was|has|has been|does) )?(?:not (?:found|exist|valid|known)|expired|invalid|unknown|terminated|required|missing)|(?:no|no such|no valid|invalid|unknown|missing|expired) (?:mcp[ -])?session/i

/** What a refusal means. `session` tells whether the request named one. */
export function faultOfStatus(
  answer: Pick<Answer, 'status' | 'header'>,
  text: string,
  session: boolean,
): Fault {
  const { status } = answer
  const lost =
    status === 404 ||
    status === 410 ||
    ((status === 400 || status === 503) && sessionText.test(text))
  if (session && lost) return { kind: 'session-lost', status, text: excerpt(text) }
  if (status === 401) {
    const reason =
      'the server does not take the credentials it was sent, or wants some (status 401)'
    return { kind: 'unauthorized', reason }
  }
  const retryAfterMs = retryAfter(answer.header('retry-after'))
  return {
    kind: 'http',
    status,
    text: excerpt(text),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** The error that carries a fault, with its reason as the text. */
export function faultError(fault: Fault): FaultError {
  if ('reason' in fault) return new FaultError(fault, fault.reason)
  if (!('status' in fault)) return new FaultError(fault, fault.kind)
  const text = fault.text === '' ? '' : `: ${fault.text}`
  return new FaultError(fault, `the server answered with status ${String(fault.status)}${text}`)
}

/** A JSON-RPC error by which some servers say that they do not know the session. */
export function saysSessionLost(error: JsonRecord): boolean {
  const { code, message } = error
  return (
    (code === -32_600 || code === -32_000 || code === -32_001) &&
    typeof message === 'string' &&
    /session (?:id )?(?:not found|expired|invalid|unknown|terminated)|(?:no valid|invalid|unknown|missing|expired) session/i.test(
      message,
    )
  )
}

/** A JSON-RPC error that came with an HTTP error, for the request with this id. */
export function rpcErrorIn(text: string, id: unknown): JsonRecord | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (!isRecord(body) || !isRecord(body['error'])) return undefined
    const about = body['id'] ?? id
    return typeof body['error']['code'] === 'number' && String(about) === String(id)
      ? { jsonrpc: '2.0', id, error: body['error'] }
      : undefined
  } catch {
    return undefined
  }
}

/** A message as the answer to the request with this id: an error without an id is about the request that it answers. */
export function asAnswer(message: JsonRecord, id: unknown): JsonRecord {
  return message['id'] === null && isRecord(message['error']) && !('method' in message)
    ? { ...message, id }
    : message
}

/** Whether a message answers the request with this id; some servers give a number back as text. */
export function answers(message: JsonRecord, id: unknown): boolean {
  const given = message['id']
  const isId = typeof given === 'number' || typeof given === 'string'
  return isId && !('method' in message) && String(given) === String(id)
}

/** The start of an error text; a page of HTML says no more than its title. */
function excerpt(text: string): string {
  const title = /<title>([^<]{1,200})/i.exec(text)?.[1]
  if (/^\s*</.test(text))
    return title === undefined ? 'an HTML page' : `an HTML page "${title.trim()}"`
  return text.trim().slice(0, 500)
}

/** RFC 9110: seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
