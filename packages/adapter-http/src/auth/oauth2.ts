import { ToolError } from '@callgate/spec'

import type { Hop } from '../exchange/redirect.ts'
import { send, type RawAnswer, type Wire } from '../exchange/send.ts'
import { encode } from '../request/styles.ts'
import type { HttpAuth } from './auth.ts'
import { basic } from './credentials.ts'
import { resolveReference, type SecretSource } from './secrets.ts'

/** Tokens of one client, got by client credentials (RFC 6749 section 4.4) and kept until they end. */
export interface TokenCache {
  get(wire: Wire): Promise<string>
  /** Forgets a token that was refused, so that the next `get` asks anew; one that is newer stays. */
  forget(token: string): void
}

const marginMs = 30_000

/** Makes the cache; calls that come while a token is fetched wait for the same one. */
export function createTokenCache(
  auth: HttpAuth & { readonly type: 'oauth2' },
  secret: SecretSource,
): TokenCache {
  let current: { readonly token: string; readonly until: number } | undefined
  let pending: Promise<string> | undefined
  const fetchToken = async (wire: Wire): Promise<string> => {
    const { token, expiresIn } = await requestToken(auth, secret, wire)
    current = { token, until: Date.now() + expiresIn * 1000 - marginMs }
    return token
  }
  const get = async (wire: Wire): Promise<string> => {
    if (current && Date.now() < current.until) return current.token
    pending ??= fetchToken(wire).finally(() => {
      pending = undefined
    })
    try {
      return await unlessStopped(pending, wire.signal)
    } catch (cause) {
      // The call that asked for the token was stopped; this one was not.
      const othersEnd = ToolError.isInstance(cause) && cause.code === 'cancelled'
      if (othersEnd && !wire.signal.aborted) return get(wire)
      throw cause
    }
  }
  return {
    get,
    forget(token) {
      if (current?.token === token) current = undefined
    },
  }
}

/** What others wait for too, as long as this call is not stopped. */
function unlessStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(stopped(signal.reason))
    const settled = (): void => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(settled)
  })
}

function stopped(cause: unknown): ToolError {
  return new ToolError({
    code: 'cancelled',
    message: 'The request was stopped.',
    started: 'no',
    cause,
  })
}

async function requestToken(
  auth: HttpAuth & { readonly type: 'oauth2' },
  secret: SecretSource,
  wire: Wire,
): Promise<{ readonly token: string; readonly expiresIn: number }> {
  const { status, body } = await tokenAnswer(tokenRequest(auth, secret), wire)
  const {
    access_token: token,
    expires_in: expiresIn,
    error,
  } = (body ?? {}) as Record<string, unknown>
  if (status === 200 && typeof token === 'string') {
    return { token, expiresIn: Number(expiresIn ?? 3600) || 3600 }
  }
  throw new ToolError({
    code: 'backend_unavailable',
    rule: 'oauth2',
    started: 'no',
    message: `No access token: ${new URL(auth.tokenUrl).host} answered ${status}${typeof error === 'string' ? ` ${error.slice(0, 100)}` : ''}.`,
  })
}

/** Bytes of the longest answer of a token server; tokens have some thousand. */
const maxAnswerBytes = 256 * 1024

/** @throws ToolError of the transport: whatever happened to the request for a token, the call itself was not sent. */
async function tokenAnswer(
  request: Hop,
  wire: Wire,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const answer = await send(request, wire)
    const body = await jsonOf(answer)
    if (wire.signal.aborted) throw stopped(wire.signal.reason)
    return { status: answer.status, body }
  } catch (cause) {
    if (!ToolError.isInstance(cause)) throw cause
    const { code, message, rule } = cause
    throw new ToolError({
      code,
      message,
      started: 'no',
      cause,
      ...(rule === undefined ? {} : { rule }),
    })
  }
}

/** The JSON of an answer; undefined where it is none, or too long. */
async function jsonOf({ body }: RawAnswer): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > maxAnswerBytes) return undefined
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function tokenRequest(auth: HttpAuth & { readonly type: 'oauth2' }, secret: SecretSource): Hop {
  const clientId = resolveReference(auth.clientId, secret)
  const clientSecret = resolveReference(auth.clientSecret, secret)
  const inBody = auth.clientAuth === 'body'
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(auth.scopes ? { scope: auth.scopes.join(' ') } : {}),
    ...(inBody ? { client_id: clientId, client_secret: clientSecret } : {}),
  })
  return {
    method: 'POST',
    url: auth.tokenUrl,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      // RFC 6749 section 2.3.1: both are form-encoded before they are joined.
      ...(inBody ? {} : { authorization: basic(encode(clientId), encode(clientSecret)) }),
    },
    body: form.toString(),
  }
}
