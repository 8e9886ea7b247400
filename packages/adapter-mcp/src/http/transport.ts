import { setImmediate as nextTurn } from 'node:timers/promises'

import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client'

import { FaultError, unanswered } from '../channel/fault.ts'
import type { SendOptions } from '../channel/send-options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { abortable } from '../servers/abortable.ts'
import { type Answer, largeBytes } from './answer.ts'
import { sendAuthorized } from './authorized.ts'
import { readExcerpt } from './body.ts'
import { createExchanger, type Exchanger, type ExchangeInit } from './exchange.ts'
import { isModern, mirroredHeaders } from './headers.ts'
import type { HttpParameters } from './parameters.ts'
import {
  answers,
  asAnswer,
  faultError,
  faultOfStatus,
  rpcErrorIn,
  saysSessionLost,
} from './status.ts'
import { Streams } from './streams.ts'

const deleteMs = 1000

/** Streamable HTTP (MCP 2025-03-26 to 2026-07-28): one POST a message, answered by JSON or an event stream. */
export class StreamableHttpTransport implements Transport {
  readonly hasPerRequestStream = true
  onmessage?: Transport['onmessage']
  onerror?: Transport['onerror']
  onclose?: Transport['onclose']
  sessionId: string | undefined
  #version: string | undefined
  #closed = false
  readonly #parameters: HttpParameters
  readonly #exchanger: Exchanger
  readonly #abort = new AbortController()
  readonly #streams: Streams

  constructor(parameters: HttpParameters) {
    this.#parameters = parameters
    this.#exchanger = createExchanger(parameters.tls)
    this.#streams = new Streams({
      limit: parameters.maxMessageBytes,
      parse: (json) => parameters.credentials.parse(json),
      deliver: (message, bytes) => this.#deliver(message, bytes),
      open: (lastEventId, signal) => this.#get(lastEventId, signal),
      debug: (message, fields) => parameters.debug(message, fields),
    })
  }

  start(): Promise<void> {
    return Promise.resolve()
  }

  setProtocolVersion(version: string): void {
    this.#version = version
  }

  async send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    const fields = message as JsonRecord
    // Without the transport's own signal: closing it ends the sockets, and joined signals cost more than they are worth.
    const signal = options.requestSignal ?? this.#abort.signal
    const session = fields['method'] === 'initialize' ? undefined : this.sessionId
    const answer = await this.#post(fields, session, options, signal)
    if (answer === undefined) return
    const isRequest = typeof fields['method'] === 'string' && fields['id'] !== undefined
    if (fields['method'] === 'initialize') {
      this.sessionId = answer.header('mcp-session-id')
    }
    if (!isRequest) {
      answer.discard()
      // Optional: servers that have nothing to say by themselves refuse it.
      if (fields['method'] === 'notifications/initialized')
        void this.#streams.listen(this.#abort.signal)
      return
    }
    const sent = { id: fields['id'], session, resumable: !isModern(fields) }
    await this.#readAnswer(answer, sent, options, signal)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.sessionId !== undefined) await this.#endSession()
    this.#abort.abort()
    this.#exchanger.close()
    this.onclose?.()
  }

  async #readAnswer(
    answer: Answer,
    sent: Sent,
    options: SendOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const type = (answer.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
    if (type === 'text/event-stream') {
      void this.#streams.read(answer, this.#signal(signal), sent, (fault) => {
        if (options.onFault === undefined) options.onRequestStreamEnd?.()
        else options.onFault(fault)
      })
    } else if (type === 'application/json') {
      const text = await answer.text(this.#parameters.maxMessageBytes)
      if (text.length >= largeBytes) await nextTurn()
      let answered = false
      for (const each of messagesIn(this.#parse(text), answer.status, sent.session)) {
        const message = asAnswer(each, sent.id)
        answered ||= answers(message, sent.id)
        this.#deliver(message, text.length)
      }
      if (!answered) throw faultError({ kind: 'lost', reason: `the reply ${unanswered}` })
    } else {
      await readExcerpt(answer)
      const what = type === undefined || type === '' ? unanswered : `came as ${type}`
      throw faultError({
        kind: 'lost',
        reason: `the reply ${what} (status ${String(answer.status)})`,
      })
    }
  }

  /** One POST; nothing when the refusal was the answer. */
  async #post(
    message: JsonRecord,
    session: string | undefined,
    options: SendOptions,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    const answer = await this.#exchange(session, {
      method: 'POST',
      body: JSON.stringify(message),
      signal,
      headers: {
        ...options.headers,
        ...mirroredHeaders(message),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    })
    if (answer.status < 400) return answer
    const text = this.#parameters.credentials.text(await readExcerpt(answer))
    const fault = faultOfStatus(answer, text, session !== undefined)
    const error = fault.kind === 'session-lost' ? undefined : rpcErrorIn(text, message['id'])
    if (error === undefined) throw faultError(fault)
    this.#deliver(error, text.length)
    return undefined
  }

  /** Opens the stream for what the server says by itself, or goes on with one that broke off. */
  #get(lastEventId: string | undefined, given: AbortSignal): Promise<Answer> {
    return this.#exchange(this.sessionId, {
      method: 'GET',
      signal: this.#signal(given),
      headers: {
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        accept: 'text/event-stream',
      },
    })
  }

  async #endSession(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(deleteMs)
      const init = { method: 'DELETE', signal, headers: {} } as const
      // What makes the headers may be slow, too, and does not know the signal.
      const answer = await abortable(this.#exchange(this.sessionId, init), signal)
      answer.discard()
    } catch (error) {
      this.#parameters.debug('mcp: the session could not be ended', { error: String(error) })
    }
  }

  #exchange(session: string | undefined, init: ExchangeInit): Promise<Answer> {
    const { url } = this.#parameters
    const headers = {
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }),
      ...init.headers,
    }
    return sendAuthorized(this.#exchanger, this.#parameters, url, { ...init, headers })
  }

  #parse(text: string): unknown {
    try {
      return this.#parameters.credentials.parse(text)
    } catch (cause) {
      throw new FaultError({ kind: 'lost', reason: 'the answer is not JSON', cause }, 'not JSON')
    }
  }

  #signal(requestSignal: AbortSignal): AbortSignal {
    return AbortSignal.any([this.#abort.signal, requestSignal])
  }

  #deliver(message: JsonRecord, bytes: number): void {
    this.onmessage?.(message as unknown as JSONRPCMessage, { bytes } as MessageExtraInfo)
  }
}

/** What counts of a request for its answer. */
interface Sent {
  readonly id: unknown
  readonly session: string | undefined
  /** Whether a stream that broke off can be gone on with: not in the revision 2026-07-28. */
  readonly resumable: boolean
}

function messagesIn(
  value: unknown,
  status: number,
  session: string | undefined,
): readonly JsonRecord[] {
  const messages = (Array.isArray(value) ? value : [value]).filter(isRecord)
  const error = messages.length === 1 ? messages[0]?.['error'] : undefined
  if (session !== undefined && isRecord(error) && saysSessionLost(error)) {
    throw faultError({ kind: 'session-lost', status, text: String(error['message']) })
  }
  return messages
}
