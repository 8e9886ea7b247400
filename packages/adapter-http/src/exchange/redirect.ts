import { refused } from '../guard/refusal.ts'
import type { RawAnswer } from './send.ts'

/** One request on its way. */
export interface Hop {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** The only headers that another origin gets: none of them can hold a credential. */
const harmless = new Set(['accept', 'accept-encoding', 'user-agent'])

/** Whether an answer sends the client elsewhere. */
export function isRedirect({ status, headers }: RawAnswer): boolean {
  return [301, 302, 303, 307, 308].includes(status) && typeof headers['location'] === 'string'
}

/**
 * The next request after a redirect (RFC 9110 section 15.4; D11). Another origin gets neither credentials nor bodies.
 *
 * @throws ToolError `guard_refused` (`redirect`) for https to http and for a body to another origin.
 */
export function redirectOf(hop: Hop, answer: RawAnswer): Hop {
  const location = String(answer.headers['location'])
  // A location that does not parse is left for the guard to name.
  const target = URL.canParse(location, answer.url.href)
    ? new URL(location, answer.url.href)
    : undefined
  if (answer.url.protocol === 'https:' && target?.protocol === 'http:') {
    throw redirectRefused('from https to http')
  }
  const method = methodAfter(hop.method, answer.status)
  const body = method === hop.method ? hop.body : undefined
  const sameOrigin = target?.origin === answer.url.origin
  if (!sameOrigin && body !== undefined)
    throw redirectRefused('of a request body to another origin')
  const headers = headersAfter(hop, sameOrigin, body !== undefined)
  return { method, url: target?.href ?? location, headers, body }
}

function headersAfter(hop: Hop, sameOrigin: boolean, withBody: boolean): Hop['headers'] {
  const kept = Object.entries(hop.headers).filter(
    ([name]) => (sameOrigin || harmless.has(name)) && (withBody || name !== 'content-type'),
  )
  return Object.fromEntries(kept)
}

function methodAfter(method: string, status: number): string {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET'
  // What every client does since RFC 1945; RFC 9110 permits it for POST alone.
  if ((status === 301 || status === 302) && method === 'POST') return 'GET'
  return method
}

function redirectRefused(what: string): Error {
  return refused({ rule: 'redirect', message: `A redirect ${what} is not followed.` })
}
