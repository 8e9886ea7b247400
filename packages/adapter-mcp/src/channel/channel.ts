import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client'

import { isRecord, type JsonRecord } from '../record.ts'
import { messageOf } from '../text/message-of.ts'
import { type Fault, faultOf, unanswered } from './fault.ts'
import type { OwnTransport } from './own-transport.ts'
import { type Limits, type Pending, PendingRequests } from './pending.ts'
import type { MessageSize, Reply } from './reply.ts'
import type { SendOptions } from './send-options.ts'
import { shareTransport } from './share-transport.ts'

export interface RequestOptions extends Limits {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  onProgress?(progress: JsonRecord): void
}

export interface ChannelEvents {
  /** What the negotiated revision wants in `_meta` of every message; nothing before 2026-07-28. */
  envelope(): JsonRecord | undefined
  /** Whether to drop a reply stream is the whole cancellation (revision 2026-07-28 over HTTP). */
  perRequestStream(): boolean
  /** Sees every message, where that is asked for. */
  readonly frame?: Frame | undefined
  notification(method: string, params: JsonRecord): void
  /** A late or second answer, or something that belongs to no request. */
  stray(what: string): void
  closed(): void
}

export type Frame = (direction: 'sent' | 'received', message: object) => void

/** Our ids lie above every id that the client library counts up to. */
const firstId = 1_000_000

/**
 * Requests of this package and those of the client library over one transport. The own request path keeps raw
 * results, settles at once on cancellation and on a reply stream that ends, and counts time only while the server
 * has the word (R8.4).
 */
export class Channel {
  /** What the client library connects to; it sees every message but the answers to our own requests. */
  readonly clientTransport: Transport
  readonly #send: Transport['send']
  readonly #events: ChannelEvents
  readonly #pending = new PendingRequests()
  #nextId = firstId
  #received = 0
  #closed = false

  constructor(transport: OwnTransport, events: ChannelEvents) {
    const send: Transport['send'] = (message, options) => {
      events.frame?.('sent', message)
      return transport.send(message, options)
    }
    this.#send = send
    this.#events = events
    this.clientTransport = shareTransport(transport, send)
    Object.assign(transport, {
      onmessage: (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        try {
          this.#receive(message, extra)
        } catch (error) {
          // What cannot be taken must end neither the process nor the stream that it came by.
          this.clientTransport.onerror?.(error as Error)
        }
      },
      onerror: (error: Error) => this.clientTransport.onerror?.(error),
      onclose: () => this.#onClose(),
      onoversize: (...dropped) => this.#onOversize(...dropped),
    } satisfies Partial<OwnTransport>)
  }

  /** How many messages have come, of whatever kind. */
  get received(): number {
    return this.#received
  }

  /** Milliseconds in which a human had the word. */
  get humanMs(): number {
    return this.#pending.humanMs
  }

  /** Sends a request; never rejects. */
  request(method: string, params: JsonRecord, options: RequestOptions): Promise<Reply> {
    if (this.#closed) return Promise.resolve({ fault: { kind: 'unsent', reason: 'not connected' } })
    const { signal } = options
    if (signal?.aborted === true) {
      return Promise.resolve({ fault: { kind: 'aborted', sent: false } })
    }
    const id = this.#nextId
    this.#nextId += 1
    const stream = new AbortController()
    return new Promise<Reply>((resolve) => {
      const onAbort = (): void => entry.settle({ fault: { kind: 'aborted', sent: true } })
      const entry = this.#pending.open(id, options, (reply, answered) => {
        signal?.removeEventListener('abort', onAbort)
        resolve(reply)
        // Not for an answer: notifications may follow it on its stream, and an abort would cost more than it frees.
        if (answered) return
        if ('fault' in reply && reply.fault.kind !== 'lost') this.#cancel(id, reply)
        stream.abort()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#post(id, method, params, options, stream.signal, entry)
    })
  }

  /** Sends a notification; one that cannot be sent is as good as one that is not heard. */
  async notify(method: string): Promise<void> {
    await this.#send({ jsonrpc: '2.0', method }).catch(() => this.#events.stray(method))
  }

  /**
   * Runs something a human has to answer for the server. Where it `holds` the open requests, since any of them may wait
   * for it, their limits stand still meanwhile. `signal` fires when every request that it held at the start has ended,
   * or the connection closes.
   */
  whileHumanAnswers<T>(run: (signal: AbortSignal) => Promise<T>, holds: boolean): Promise<T> {
    return this.#pending.whileHumanAnswers(run, holds)
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    this.#received += 1
    this.#events.frame?.('received', message)
    const fields = message as JsonRecord
    const method = fields['method']
    if (typeof method !== 'string') {
      if (isOwn(fields['id'])) this.#settle(fields, extra)
      else this.clientTransport.onmessage?.(message, extra)
      return
    }
    if (fields['id'] === undefined) {
      const params = isRecord(fields['params']) ? fields['params'] : {}
      if (method === 'notifications/progress' && isOwn(params['progressToken'])) {
        this.#pending.progress(Number(params['progressToken']), params)
        return
      }
      this.#events.notification(method, params)
    }
    this.clientTransport.onmessage?.(message, extra)
  }

  #settle(message: JsonRecord, extra: MessageExtraInfo | undefined): void {
    // Some servers give a numeric id back as a string.
    const id = Number(message['id'])
    if (!this.#pending.settle(id, replyOf(message, extra))) {
      this.#events.stray(`answer to request ${String(id)}`)
    }
  }

  /** Settles the request that the dropped message answered. */
  #onOversize(id: string | number | undefined, bytes: number, limit: number): void {
    const known =
      isOwn(id) && this.#pending.settle(Number(id), { fault: { kind: 'too-large', bytes, limit } })
    if (!known) this.#events.stray(`message of ${String(bytes)} bytes`)
  }

  #onClose(): void {
    if (this.#closed) return
    this.#closed = true
    this.#events.closed()
    this.#pending.settleAll({ fault: { kind: 'lost', reason: 'the connection closed' } })
    this.clientTransport.onclose?.()
  }

  #post(
    id: number,
    method: string,
    params: JsonRecord,
    options: RequestOptions,
    requestSignal: AbortSignal,
    entry: Pending,
  ): void {
    const message = { jsonrpc: '2.0', id, method, params: this.#withMeta(params, id) }
    const onFault = (fault: Fault): void => entry.settle({ fault })
    const sendOptions: SendOptions = {
      requestSignal,
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      onFault,
      onRequestStreamEnd: () => onFault({ kind: 'lost', reason: `the reply ${unanswered}` }),
    }
    this.#send(message as JSONRPCMessage, sendOptions).catch((error: unknown) => {
      const reason = messageOf(error)
      entry.settle({ fault: faultOf(error, { kind: 'lost', reason, cause: error }) })
    })
  }

  /** Tells the server that nobody waits any more, in words of our own: the caller's reason may be private. */
  #cancel(id: number, reply: Reply): void {
    const wanted =
      'fault' in reply && (reply.fault.kind === 'aborted' || reply.fault.kind === 'timeout')
    if (!wanted || this.#events.perRequestStream()) return
    const envelope = this.#events.envelope()
    const params = {
      requestId: id,
      reason: 'cancelled by the client',
      ...(envelope === undefined ? {} : { _meta: { ...envelope } }),
    }
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() =>
      this.#events.stray(`cancellation of request ${String(id)}`),
    )
  }

  #withMeta(params: JsonRecord, id: number): JsonRecord {
    const meta = isRecord(params['_meta']) ? params['_meta'] : {}
    return { ...params, _meta: { ...this.#events.envelope(), ...meta, progressToken: id } }
  }
}

function isOwn(id: unknown): id is number | string {
  return (typeof id === 'number' || typeof id === 'string') && Number(id) >= firstId
}

function replyOf(
  message: JsonRecord,
  extra: (MessageExtraInfo & Partial<MessageSize>) | undefined,
): Reply {
  const { error, result } = message
  if (!isRecord(error)) {
    // An error of another shape is one all the same; without a result there was no success.
    if (result === undefined) {
      const text = typeof error === 'string' ? error : 'error without a message'
      return { fault: { kind: 'rpc', code: 0, message: text } }
    }
    return extra?.bytes === undefined ? { result } : { result, bytes: extra.bytes }
  }
  const { code, message: text, data } = error
  return {
    fault: {
      kind: 'rpc',
      code: typeof code === 'number' ? code : 0,
      message: typeof text === 'string' ? text : 'error without a message',
      ...(data === undefined ? {} : { data }),
    },
  }
}
