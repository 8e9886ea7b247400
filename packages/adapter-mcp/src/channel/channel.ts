import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client'

import { isRecord, type JsonRecord } from '../record.ts'
import { type Fault, faultOf } from './fault.ts'
import { createPending, type Limits, type Pending } from './pending.ts'

/** An answer as a value: the raw result, or why there is none. */
export type Reply = { readonly result: unknown } | { readonly fault: Fault }

export interface RequestOptions extends Limits {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  onProgress?(progress: JsonRecord): void
}

/** Requests of this package and those of the client library over one transport. */
export interface Channel {
  /** What the client library connects to; it sees every message but the answers to our own requests. */
  readonly clientTransport: Transport
  /** Sends a request; never rejects. */
  request(method: string, params: JsonRecord, options: RequestOptions): Promise<Reply>
  /** A message that the framing had to drop; settles the request that it answered. */
  oversize(id: string | number | undefined, bytes: number, limit: number): void
  /**
   * Runs something a human has to answer for the server. Meanwhile the limits of all open requests stand still.
   * `signal` fires when every request that was open at the start has ended, or the connection closes.
   */
  whileHumanAnswers<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>
}

export interface ChannelEvents {
  /** What the negotiated revision wants in `_meta` of every message; nothing before 2026-07-28. */
  envelope(): JsonRecord | undefined
  notification(method: string, params: JsonRecord): void
  /** A late or second answer, or something that belongs to no request. */
  stray(what: string): void
  closed(): void
}

/** Our ids lie above every id that the client library counts up to. */
const firstId = 1_000_000

/**
 * A lean request path beside the client library's own: it keeps raw results, settles at once on cancellation and on
 * a reply stream that ends, and counts time only while the server has the word (R8.4).
 *
 * @param perRequestStream whether an aborted stream is the whole cancellation (revision 2026-07-28 over HTTP).
 */
export function createChannel(
  transport: Transport,
  events: ChannelEvents,
  perRequestStream: () => boolean,
): Channel {
  const pending = createPending()
  let nextId = firstId
  let closed = false

  function receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    const fields = message as JsonRecord
    const method = fields['method']
    if (typeof method !== 'string') {
      if (isOwn(fields['id'])) settle(fields)
      else clientTransport.onmessage?.(message, extra)
      return
    }
    if (fields['id'] === undefined) {
      const params = isRecord(fields['params']) ? fields['params'] : {}
      if (method === 'notifications/progress' && isOwn(params['progressToken'])) {
        pending.progress(Number(params['progressToken']), params)
        return
      }
      events.notification(method, params)
    }
    clientTransport.onmessage?.(message, extra)
  }

  function settle(message: JsonRecord): void {
    // Some servers give a numeric id back as a string.
    const id = Number(message['id'])
    if (!pending.settle(id, replyOf(message))) events.stray(`answer to request ${String(id)}`)
  }

  const clientTransport = shareTransport(transport)
  transport.onmessage = receive
  transport.onerror = (error) => clientTransport.onerror?.(error)
  transport.onclose = () => {
    if (closed) return
    closed = true
    pending.settleAll({ fault: { kind: 'lost', reason: 'the connection closed' } })
    events.closed()
    clientTransport.onclose?.()
  }

  function cancel(id: number): void {
    if (perRequestStream()) return
    const envelope = events.envelope()
    const params = {
      requestId: id,
      reason: 'cancelled by the client',
      ...(envelope === undefined ? {} : { _meta: { ...envelope } }),
    }
    transport
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => events.stray(`cancellation of request ${String(id)}`))
  }

  function request(method: string, params: JsonRecord, options: RequestOptions): Promise<Reply> {
    if (closed) return Promise.resolve({ fault: { kind: 'unsent', reason: 'not connected' } })
    if (options.signal?.aborted === true) {
      return Promise.resolve({ fault: { kind: 'aborted', sent: false } })
    }
    const id = nextId
    nextId += 1
    const stream = new AbortController()
    return new Promise<Reply>((resolve) => {
      const entry = pending.open(id, options, (reply, answered) => {
        options.signal?.removeEventListener('abort', onAbort)
        resolve(reply)
        // Not for an answer: a reply stream may carry notifications behind it, and an abort costs more than it frees.
        if (answered) return
        if (
          'fault' in reply &&
          (reply.fault.kind === 'aborted' || reply.fault.kind === 'timeout')
        ) {
          cancel(id)
        }
        stream.abort()
      })
      const onAbort = (): void => {
        entry.settle({ fault: { kind: 'aborted', sent: true } })
      }
      options.signal?.addEventListener('abort', onAbort, { once: true })
      send(id, method, withMeta(params, id, events.envelope()), options, stream.signal, entry)
    })
  }

  function send(
    id: number,
    method: string,
    params: JsonRecord,
    options: RequestOptions,
    requestSignal: AbortSignal,
    entry: Pending,
  ): void {
    transport
      .send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage, {
        requestSignal,
        ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
        onRequestStreamEnd: () => {
          entry.settle({ fault: { kind: 'lost', reason: 'the reply ended without an answer' } })
        },
      })
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        entry.settle({ fault: faultOf(error, { kind: 'lost', reason, cause: error }) })
      })
  }

  return {
    clientTransport,
    request,
    oversize: (id, bytes, limit) => {
      if (isOwn(id)) pending.settle(Number(id), { fault: { kind: 'too-large', bytes, limit } })
      else events.stray(`message of ${String(bytes)} bytes`)
    },
    whileHumanAnswers: (run) => pending.whileHumanAnswers(run),
  }
}

function isOwn(id: unknown): id is number | string {
  return (typeof id === 'number' || typeof id === 'string') && Number(id) >= firstId
}

function withMeta(params: JsonRecord, id: number, envelope: JsonRecord | undefined): JsonRecord {
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  return { ...params, _meta: { ...envelope, ...meta, progressToken: id } }
}

function replyOf(message: JsonRecord): Reply {
  const error = message['error']
  if (!isRecord(error)) return { result: message['result'] }
  return {
    fault: {
      kind: 'rpc',
      code: typeof error['code'] === 'number' ? error['code'] : 0,
      message: typeof error['message'] === 'string' ? error['message'] : 'error without a message',
      ...(error['data'] === undefined ? {} : { data: error['data'] }),
    },
  }
}

/** The client library sets its own callbacks on what it gets, so it gets a second face of the transport. */
function shareTransport(transport: Transport): Transport {
  const face: Transport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
    get sessionId() {
      return transport.sessionId
    },
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => transport.setSupportedProtocolVersions?.(versions),
    ...(transport.hasPerRequestStream === undefined
      ? {}
      : { hasPerRequestStream: transport.hasPerRequestStream }),
  }
  // A pipe to a local process is known by these two; a server that stays silent there is an old one.
  return 'pid' in transport && 'stderr' in transport
    ? Object.assign(face, { pid: transport.pid, stderr: transport.stderr })
    : face
}
