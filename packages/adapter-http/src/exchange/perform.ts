import { ToolError, type AdapterCall, type AdapterOutput, type InvokeContext } from '@callgate/spec'

import type { Credentials } from '../auth/credentials.ts'
import type { SecretSource } from '../auth/secrets.ts'
import { refused } from '../guard/refusal.ts'
import type { Operation } from '../operation/operation.ts'
import { buildRequest, type BuiltRequest } from '../request/build.ts'
import { checkHeaderValue } from '../request/header.ts'
import { withPairs } from '../request/query.ts'
import { acceptedEncodings } from '../response/decode.ts'
import { isEmpty, readAnswer } from '../response/read.ts'
import { outputOf } from '../response/status.ts'
import type { Connection } from './connection.ts'
import type { HttpLimits } from './limits.ts'
import { paginate, type PageRead } from './paginate.ts'
import type { Hop } from './redirect.ts'
import { dropBody, send, type RawAnswer } from './send.ts'
import { transportError } from './to-error.ts'

/** All that one exchange is made of. */
export interface Exchange {
  readonly operation: Operation
  readonly connection: Connection
  readonly limits: Required<HttpLimits>
  readonly secret: SecretSource
}

/** Builds, authorises and sends one request and reads its answer. The core alone retries (R10.1). */
export async function perform(
  exchange: Exchange,
  call: AdapterCall,
  context: InvokeContext,
): Promise<AdapterOutput> {
  const built = buildRequest(exchange.operation, {
    arguments: call.arguments,
    secret: exchange.secret,
  })
  checkSize(built, exchange.limits)
  const { pagination } = exchange.operation
  if (pagination === undefined) return (await performBuilt(exchange, built, call, context)).output
  return paginate(pagination, built, exchange.limits.inlineBytes, (page) =>
    performBuilt(exchange, page, call, context),
  )
}

async function performBuilt(
  exchange: Exchange,
  built: BuiltRequest,
  call: AdapterCall,
  context: InvokeContext,
): Promise<PageRead> {
  const raw = await sendAuthorised(exchange, built, call, context)
  try {
    const answer = await readAnswer(raw, exchange.limits, context)
    return { output: outputOf(raw, answer), isEmpty: isEmpty(answer) }
  } catch (cause) {
    throw transportError(cause, raw.url.host, context.signal, true)
  }
}

async function sendAuthorised(
  exchange: Exchange,
  built: BuiltRequest,
  call: AdapterCall,
  context: InvokeContext,
): Promise<RawAnswer> {
  const { connection, operation } = exchange
  const wire = connection.wire(context.signal)
  const credentials = await connection.credentials(context.signal)
  const raw = await send(hopOf(built, credentials, operation, call), wire)
  // A token that ended early: the server did not serve the request, so sending it again is safe (D8).
  if (!isOfToken(raw, built) || !connection.refused(credentials)) {
    return withIssued(raw, credentials)
  }
  await dropBody(raw, context.signal)
  const renewed = await connection.credentials(context.signal)
  return withIssued(await send(hopOf(built, renewed, operation, call), wire), renewed)
}

/**
 * Whether an answer refuses the token of a request. Behind a redirect that changed the method it does not: the request
 * itself was served. Another origin never saw the token.
 */
function isOfToken({ status, method, url }: RawAnswer, built: BuiltRequest): boolean {
  return status === 401 && method === built.method && url.origin === new URL(built.url).origin
}

function withIssued(raw: RawAnswer, { issued }: Credentials): RawAnswer {
  return issued === undefined ? raw : { ...raw, issued }
}

function hopOf(
  built: BuiltRequest,
  credentials: Credentials,
  operation: Operation,
  call: AdapterCall,
): Hop {
  const { cookie: declared } = built.headers
  const own = declared === undefined ? [] : [declared]
  const cookies = [...own, ...built.cookies, ...credentials.cookies]
  const headers: Record<string, string> = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.8',
    'accept-encoding': acceptedEncodings,
    'user-agent': 'callgate',
    ...built.headers,
    ...credentials.headers,
    ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
  }
  if (operation.idempotencyHeader !== undefined) {
    headers[operation.idempotencyHeader.toLowerCase()] = call.idempotencyKey
  }
  for (const [name, value] of Object.entries(credentials.headers)) checkHeaderValue(value, name)
  return {
    method: built.method,
    // The link to a next page may hold the key already.
    url: credentials.query.length === 0 ? built.url : withPairs(built.url, credentials.query),
    headers,
    body: built.body,
  }
}

function checkSize(built: BuiltRequest, limits: Required<HttpLimits>): void {
  const size = built.body === undefined ? 0 : Buffer.byteLength(built.body)
  if (size <= limits.requestBytes) return
  throw refused({
    rule: 'request-size',
    message: `The request body has ${size} bytes; at most ${limits.requestBytes} are sent.`,
  })
}

/** A call that is stopped before anything was sent. */
export function checkNotStopped(signal: AbortSignal): void {
  if (!signal.aborted) return
  throw new ToolError({ code: 'cancelled', message: 'The request was stopped.', started: 'no' })
}
