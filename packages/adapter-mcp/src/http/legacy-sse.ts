import { setMaxListeners } from 'node:events'

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

import { faultOf } from '../channel/fault.ts'
import type { OwnTransport } from '../channel/own-transport.ts'
import { isRecord } from '../record.ts'
import type { Answer } from './answer.ts'
import { sendAuthorized } from './authorized.ts'
import { readExcerpt } from './body.ts'
import { createEventReader, type StreamEvent } from './event-stream.ts'
import { createExchanger, type Exchanger } from './exchange.ts'
import type { HttpParameters } from './parameters.ts'
import { faultError, faultOfStatus } from './status.ts'

/** HTTP+SSE of revision 2024-11-05: a stream for everything that comes, and an endpoint for what goes. */
export class LegacySseTransport implements OwnTransport {
  onmessage?: Transport['onmessage']
  onerror?: Transport['onerror']
  onclose?: Transport['onclose']
  onoversize?: OwnTransport['onoversize']
  #endpoint: URL | undefined
  #closed = false
  readonly #parameters: HttpParameters
  readonly #exchanger: Exchanger
  readonly #abort = new AbortController()

  constructor(parameters: HttpParameters) {
    this.#parameters = parameters
    this.#exchanger = createExchanger(parameters.tls)
    // Every message in flight listens to it.
    setMaxListeners(0, this.#abort.signal)
  }

  /** Resolves when the server has named its endpoint; the deadline of the connection bounds the wait. */
  async start(): Promise<void> {
    const answer = await this.#request('GET', this.#parameters.url)
    const type = answer.header('content-type') ?? ''
    if (answer.status >= 300 || !type.startsWith('text/event-stream')) {
      const text = this.#parameters.credentials.text(await readExcerpt(answer))
      throw faultError(faultOfStatus(answer, text, false))
    }
    await new Promise<void>((resolve, reject) => {
      void this.#consume(answer, resolve, reject)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#endpoint === undefined) throw faultError({ kind: 'unsent', reason: 'not connected' })
    const answer = await this.#request('POST', this.#endpoint, JSON.stringify(message))
    const text = this.#parameters.credentials.text(await readExcerpt(answer))
    if (answer.status >= 300) throw faultError(faultOfStatus(answer, text, false))
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true
      this.#abort.abort()
      this.#exchanger.close()
      this.onclose?.()
    }
    return Promise.resolve()
  }

  async #consume(answer: Answer, ready: () => void, failed: (error: Error) => void): Promise<void> {
    const limit = this.#parameters.maxMessageBytes
    const feed = createEventReader(limit, {
      retry: () => undefined,
      event: (event) => this.#event(event, ready, failed),
      skipped: (id, bytes) => this.onoversize?.(id, bytes, limit),
    })
    try {
      await answer.each((chunk) => {
        feed(chunk)
        return true
      })
    } catch (error) {
      this.#parameters.debug('mcp: the stream broke off', { error: String(error) })
      failed(faultError(faultOf(error, { kind: 'lost', reason: 'the stream broke off' })))
    }
    failed(faultError({ kind: 'lost', reason: 'the stream ended' }))
    await this.close()
  }

  #event({ event, data }: StreamEvent, ready: () => void, failed: (error: Error) => void): void {
    if (event === 'endpoint') {
      const { url } = this.#parameters
      const endpoint = URL.canParse(data, url) ? new URL(data, url) : undefined
      if (endpoint?.origin === url.origin) {
        this.#endpoint = endpoint
        ready()
      } else {
        failed(
          faultError({ kind: 'unsent', reason: 'the server names an endpoint of another origin' }),
        )
      }
      return
    }
    if (data === '') return
    try {
      const message = this.#parameters.credentials.parse(data)
      if (isRecord(message)) this.onmessage?.(message as unknown as JSONRPCMessage)
    } catch {
      this.#parameters.debug('mcp: a garbled event', {})
    }
  }

  #request(method: 'GET' | 'POST', url: URL, body?: string): Promise<Answer> {
    return sendAuthorized(this.#exchanger, this.#parameters, url, {
      method,
      signal: this.#abort.signal,
      ...(body === undefined ? {} : { body }),
      headers: {
        accept: method === 'GET' ? 'text/event-stream' : 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
  }
}
