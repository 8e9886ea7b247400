import { STATUS_CODES } from 'node:http'

import { ToolError, type AdapterOutput, type ContentPart } from '@callgate/spec'

import { retryAfterMs } from '../exchange/retry-after.ts'
import type { RawAnswer } from '../exchange/send.ts'
import { headerOf, isEmpty, type Answer } from './read.ts'

const faultLength = 4000
const shownHeaders =
  /^(content-type|etag|last-modified|location|link|retry-after|deprecation|sunset|x-total-count|x-request-id|request-id|(x-)?ratelimit.*)$/

/**
 * Makes the output of an answer, by its status.
 *
 * 2xx is the tool's result. 3xx and 4xx are the tool's own word that it did not work: `isError`, with status and body.
 * 408, 429 and 5xx are faults of the backend, which the core may try again.
 *
 * @throws ToolError `rate_limited` (`started: 'no'`, since RFC 6585 says such a request is not served) or `backend_error`.
 */
export function outputOf(raw: RawAnswer, answer: Answer): AdapterOutput {
  const { status } = raw
  if (status === 408 || status === 429 || status >= 500) throw backendFault(raw, answer)
  const metadata = { status, headers: chosenHeaders(raw), ...answer.metadata }
  if (status >= 200 && status < 300) {
    const location = headerOf(raw, 'location')
    const data = isEmpty(answer)
      ? { status, ...(location === undefined ? {} : { location }) }
      : answer.data
    return {
      ...(data === undefined ? {} : { data }),
      ...(answer.content === undefined ? {} : { content: answer.content }),
      metadata,
    }
  }
  return { isError: true, data: failure(raw, answer), content: said(raw, answer), metadata }
}

/** The first line says what happened, the rest is what the server wrote, and what was noted about that stands behind it. */
function said(raw: RawAnswer, answer: Answer): readonly ContentPart[] {
  const { status } = raw
  const body = bodyOf(answer)
  const line = `${status} ${STATUS_CODES[status] ?? ''}`.trim() + saying(body)
  const rest = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const notes = answer.content?.slice(1) ?? []
  return [{ type: 'text', text: rest === '' ? line : `${line}\n${rest}` }, ...notes]
}

function failure(raw: RawAnswer, answer: Answer): object {
  const { status } = raw
  const location = status < 400 ? headerOf(raw, 'location') : undefined
  const body = bodyOf(answer)
  return {
    status,
    reason: STATUS_CODES[status] ?? '',
    ...(location === undefined ? {} : { location }),
    ...(body === undefined ? {} : { body }),
  }
}

function bodyOf(answer: Answer): unknown {
  if (answer.data !== undefined) return answer.data
  const [first] = answer.content ?? []
  return first?.type === 'text' ? first.text : undefined
}

function backendFault(raw: RawAnswer, answer: Answer): ToolError {
  const { status } = raw
  const wait = retryAfterMs(headerOf(raw, 'retry-after'), Date.now())
  const limited = status === 429
  const body = bodyOf(answer)
  return new ToolError({
    code: limited ? 'rate_limited' : 'backend_error',
    message:
      `${raw.url.host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trim() + saying(body),
    started: limited ? 'no' : 'yes',
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    backend: { code: status, ...(body === undefined ? {} : { data: shortened(body) }) },
  })
}

/** Enough of a body to see what it says. */
function shortened(body: unknown): unknown {
  const source = typeof body === 'string' ? body : JSON.stringify(body)
  return source.length <= faultLength ? body : `${source.slice(0, faultLength)}…`
}

/** What the backend says about its fault: the usual fields of problem+json (RFC 9457) and its relatives. */
function saying(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '.'
  const { detail, message, title, error } = body as Record<string, unknown>
  const text = [detail, message, title, error].find((item) => typeof item === 'string')
  return typeof text === 'string' ? `: ${text.slice(0, 300)}` : '.'
}

/** Servers send the same few names again and again, and a map is quicker than the pattern. */
const judgedNames = new Map<string, boolean>()
const maxNames = 256

function isShown(name: string): boolean {
  const known = judgedNames.get(name)
  if (known !== undefined) return known
  const shown = shownHeaders.test(name)
  if (judgedNames.size < maxNames) judgedNames.set(name, shown)
  return shown
}

function chosenHeaders(raw: RawAnswer): Record<string, string> {
  const chosen: Record<string, string> = {}
  for (const name of Object.keys(raw.headers)) {
    const value = isShown(name) ? raw.headers[name] : undefined
    if (value !== undefined) chosen[name] = String(value)
  }
  return chosen
}
