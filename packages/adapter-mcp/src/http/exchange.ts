import type { Dispatcher } from 'undici'

import { FaultError } from '../channel/fault.ts'
import { Answer } from './answer.ts'
import { createDispatcher, type TlsMaterial } from './dispatcher.ts'

export interface ExchangeInit {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

const maxRedirects = 5

/** Sends requests over connections that are kept; its own, so that closing it touches nobody else's. */
export interface Exchanger {
  /** Rejects with a `FaultError`: `unsent` where the request provably did not reach the server, `lost` where it may have. */
  send(url: URL, init: ExchangeInit): Promise<Answer>
  close(): void
}

/**
 * HTTP below the level of `fetch`, at a third of its cost per small call, without a time limit on a quiet stream: the
 * system notices a peer that is gone. HTTP_PROXY, HTTPS_PROXY and NO_PROXY are followed.
 */
export function createExchanger(tls: TlsMaterial): Exchanger {
  const dispatcher = createDispatcher(tls)

  async function send(url: URL, init: ExchangeInit): Promise<Answer> {
    let target = url
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a redirect is known only after its answer
      const answer = await once(dispatcher, target, init)
      const next = redirectOf(target, init.method, answer)
      if (next === undefined) return answer
      answer.discard()
      target = next
    }
    throw new FaultError({ kind: 'unsent', reason: 'too many redirects' }, 'too many redirects')
  }

  return {
    send,
    close: () => {
      dispatcher.destroy().catch(() => undefined)
    },
  }
}

function once(dispatcher: Dispatcher, url: URL, init: ExchangeInit): Promise<Answer> {
  const { method, headers, body, signal } = init
  return new Promise((resolve, reject) => {
    const onAbort = (): void => answer.stop(signal.reason as Error)
    const answer = new Answer(
      url.origin,
      (result) => {
        if (result instanceof Answer) resolve(result)
        else reject(result)
      },
      () => signal.removeEventListener('abort', onAbort),
    )
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      answer,
    )
  })
}

/**
 * Where to go on, or nothing. Headers may hold credentials, so no other origin is followed; a redirect that would
 * turn the request into a GET would lose the message.
 */
function redirectOf(from: URL, method: string, answer: Answer): URL | undefined {
  const { status } = answer
  const location = answer.header('location')
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  const to = URL.canParse(location, from) ? new URL(location, from) : undefined
  const why = refusal(from, to, method, status)
  if (why === undefined) return to
  answer.discard()
  const reason = `redirect to ${to?.href ?? location} is not followed: it ${why}`
  throw new FaultError({ kind: 'unsent', reason }, reason)
}

function refusal(
  from: URL,
  to: URL | undefined,
  method: string,
  status: number,
): string | undefined {
  if (to === undefined) return 'is no address'
  if (to.origin !== from.origin) return 'leaves the origin'
  const keepsMethod = status === 307 || status === 308 || method === 'GET'
  return keepsMethod ? undefined : `answers ${method} with ${String(status)}`
}
