import { createConnection, type Socket } from 'node:net'

import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/client'

import { FaultError } from '../channel/fault.ts'
import type { OwnTransport } from '../channel/own-transport.ts'
import { createFramer, type Framer } from './framing.ts'
import type { StdioEvents } from './transport.ts'

/** The framing of stdio over a local socket: a server that somebody else started and keeps. */
export class SocketTransport implements OwnTransport {
  onmessage?: Transport['onmessage']
  onerror?: Transport['onerror']
  onclose?: Transport['onclose']
  onoversize?: OwnTransport['onoversize']
  readonly #path: string
  readonly #maxMessageBytes: number
  readonly #events: Omit<StdioEvents, 'stderrLine'>
  #socket: Socket | undefined
  #framer: Framer | undefined
  #closed = false
  #ending = ''

  /** `path` of a Unix socket or a Windows pipe; the limit in bytes. */
  constructor(path: string, maxMessageBytes: number, events: Omit<StdioEvents, 'stderrLine'>) {
    this.#path = path
    this.#maxMessageBytes = maxMessageBytes
    this.#events = events
  }

  /** Why it was hung up on, in words; '' where it was not. */
  get ending(): string {
    return this.#ending
  }

  start(): Promise<void> {
    const socket = createConnection(this.#path)
    this.#socket = socket
    let noise = 0
    const framer = createFramer(this.#maxMessageBytes, {
      message: (message, bytes) => this.onmessage?.(message, { bytes } as MessageExtraInfo),
      oversize: (id, bytes) => this.onoversize?.(id, bytes, this.#maxMessageBytes),
      noise: (line) => {
        noise += 1
        this.#events.noise(line, noise)
      },
      endless: () => {
        this.#ending = 'the server wrote a line without an end'
        socket.destroy()
      },
    })
    this.#framer = framer
    socket.on('data', (chunk) => framer.feed(chunk as Buffer))
    socket.on('close', () => this.#finish())
    return new Promise((resolve, reject) => {
      socket.once('connect', resolve)
      socket.on('error', (error) => {
        reject(error)
        this.onerror?.(error)
      })
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket
    return new Promise((resolve, reject) => {
      if (socket === undefined || !socket.writable) {
        const reason = 'the socket is closed'
        reject(new FaultError({ kind: 'unsent', reason }, reason))
        return
      }
      socket.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }

  close(): Promise<void> {
    this.#socket?.destroy()
    this.#finish()
    return Promise.resolve()
  }

  #finish(): void {
    if (this.#closed) return
    this.#closed = true
    this.#framer?.flush()
    this.onclose?.()
  }
}
