import { ToolError } from '@callgate/spec'
import type { Dispatcher } from 'undici'

import type { TargetPolicy } from '../guard/policy.ts'
import { refused } from '../guard/refusal.ts'
import { judgeUrl } from '../guard/url.ts'
import { isRedirect, redirectOf, type Hop } from './redirect.ts'
import { requestOnce } from './request-once.ts'
import { transportError } from './to-error.ts'

/** The head of an answer and its body, not yet read. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Dispatcher.ResponseData['body']
  readonly method: string
  /** Where it came from, after redirects. */
  readonly url: URL
  /** A token that may not be shown, if a server gives it back. */
  readonly issued?: string
}

/** What an exchange needs besides the request. */
export interface Wire {
  readonly pool: Dispatcher
  readonly policy: TargetPolicy
  readonly signal: AbortSignal
}

/**
 * Sends one request through the guard and follows as many redirects as the policy lets it (D10, D11).
 *
 * @throws ToolError: `guard_refused` with the rule of the URL, or `redirect` for a later one; a transport error.
 */
export async function send(first: Hop, wire: Wire): Promise<RawAnswer> {
  let hop = first
  for (let followed = 0; ; followed += 1) {
    const judged = judgeUrl(hop.url, wire.policy)
    if (judged.refusal) {
      throw refused(followed === 0 ? judged.refusal : { ...judged.refusal, rule: 'redirect' })
    }
    // oxlint-disable-next-line no-await-in-loop -- each hop is decided by the one before
    const answer = await exchange(hop, judged.url, wire, followed > 0)
    if (wire.policy.redirects === 0 || !isRedirect(answer)) return answer
    // oxlint-disable-next-line no-await-in-loop
    await dropBody(answer, wire.signal)
    if (followed === wire.policy.redirects) throw tooMany(followed)
    hop = redirectOf(hop, answer)
  }
}

/** Reads what is left of an answer that nobody wants, so that its connection can be used again. */
export async function dropBody(answer: RawAnswer, signal: AbortSignal): Promise<void> {
  try {
    await answer.body.dump({ limit: 64 * 1024, signal })
  } catch {
    // It was of no use; a stop is seen by the next request.
  }
}

function tooMany(followed: number): ToolError {
  return refused({
    rule: 'redirect',
    message: `The request was redirected more than ${followed} times.`,
  })
}

async function exchange(hop: Hop, url: URL, wire: Wire, redirected: boolean): Promise<RawAnswer> {
  try {
    const { statusCode, headers, body } = await requestOnce(url, {
      dispatcher: wire.pool,
      method: hop.method as Dispatcher.HttpMethod,
      headers: hop.headers,
      body: (hop.body as Buffer | string | undefined) ?? null,
      signal: wire.signal,
    })
    return { status: statusCode, headers, body, method: hop.method, url }
  } catch (cause) {
    if (redirected && ToolError.isInstance(cause) && cause.code === 'guard_refused') {
      throw refused({ rule: 'redirect', message: cause.message })
    }
    throw transportError(cause, url.host, wire.signal, false)
  }
}
