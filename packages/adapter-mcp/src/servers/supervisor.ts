import { ToolError } from '@callgate/spec'

import { faultOf } from '../channel/fault.ts'
import { connect, type ConnectParts } from '../connect/connect.ts'
import type { Connection } from '../connect/connection.ts'
import { connectMsOf } from '../connect/settings.ts'
import type { McpServer } from '../options.ts'
import { messageOf } from '../text/message-of.ts'
import { abortable } from './abortable.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { pause } from './pause.ts'

export interface SupervisorEvents {
  ready(connection: Connection): void
  toolsChanged(): void
  resourceUpdated(uri: string): void
  logged(level: string, data: unknown): void
  /** `refused`: it was reached, and does not take our credentials or wants a user's consent. */
  down(reason: string, refused: boolean): void
  /** Its state may be another than before. */
  state(): void
}

/** A call waits this long for a restart; beyond it, it is told when to come back. */
const patienceMs = 5000

/** One configured server and its connection, which is made, lost and made again. */
export class Supervisor {
  readonly #config: McpServer
  readonly #parts: Omit<ConnectParts, 'events' | 'withinMs'>
  readonly #events: SupervisorEvents
  #backoff: Backoff
  readonly #closing = new AbortController()
  #state: 'idle' | 'starting' | 'ready' | 'cooling' | 'closed' = 'idle'
  #trouble = ''
  #live: Connection | undefined
  #connecting: Promise<Connection> | undefined
  #readyAt = 0
  #starts = 0
  #startMs: number | undefined
  #cooled: NodeJS.Timeout | undefined
  #lastError: string | undefined
  readonly #leaving = new Map<Connection, Promise<void>>()
  /** How long a server that does not want to end may take, once the adapter is stopped. */
  #withinMs = Infinity

  constructor(
    config: McpServer,
    parts: Omit<ConnectParts, 'events' | 'withinMs'>,
    events: SupervisorEvents,
  ) {
    this.#config = config
    this.#parts = parts
    this.#events = events
    this.#backoff = backoffOf(config)
  }

  /** Why it is not ready; '' when it is. */
  get trouble(): string {
    if (this.#trouble !== '') return this.#trouble
    return this.#state === 'ready' ? '' : this.#state
  }

  /** As an operator wants to know it. */
  get state(): 'idle' | 'starting' | 'ready' | 'cooling' | 'failed' | 'closed' {
    if (this.#state !== 'cooling') return this.#state
    return this.#backoff.waitMs(performance.now()) > 0 ? 'cooling' : 'failed'
  }

  /** How often it was started again. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1)
  }

  /** How long the last start took, in milliseconds. */
  get startMs(): number | undefined {
    return this.#startMs
  }

  /** Of the last failure, be it over or not. */
  get lastError(): string | undefined {
    return this.#lastError
  }

  /** Whether nobody wanted it yet. */
  get idle(): boolean {
    return this.#state === 'idle'
  }

  /** The live connection, without waiting. */
  get current(): Connection | undefined {
    return this.#live
  }

  /** The live connection; starts the server when it must, once for all who wait. Rejects with a `ToolError`. */
  async connection(signal: AbortSignal): Promise<Connection> {
    if (this.#live !== undefined) return this.#live
    if (this.#state === 'closed') throw this.#unavailable('the adapter is stopped')
    const wait = this.#connecting === undefined ? this.#backoff.waitMs(performance.now()) : 0
    if (wait > patienceMs) throw this.#unavailable(this.#trouble, wait)
    return abortable(this.#startOnce(), signal)
  }

  /** Puts a new connection in place of one whose session is gone; once for all who saw it go. */
  async renew(gone: Connection, signal: AbortSignal): Promise<Connection> {
    if (this.#live === gone) {
      this.#live = undefined
      this.#trouble = 'its session is gone'
      // One that was started too often of late is not started at once.
      this.#enter(this.#backoff.waitMs(performance.now()) > 0 ? 'cooling' : 'starting')
      this.#leave(gone)
    }
    return this.connection(signal)
  }

  /** What kept it from starting is over: the next start has not to wait. */
  mayStart(): void {
    this.#backoff = backoffOf(this.#config)
  }

  /** Gives up a connection whose server does not answer any more; the next call starts it again. */
  drop(hung: Connection, reason: string): void {
    if (this.#live !== hung) return
    this.#failed(reason, performance.now() - this.#readyAt)
    this.#leave(hung)
  }

  /** Ends the server; one that does not want to end is killed after `withinMs`. */
  async close(withinMs: number): Promise<void> {
    this.#enter('closed')
    this.#withinMs = withinMs
    this.#closing.abort(new Error('the adapter is stopped'))
    const last = this.#live
    this.#live = undefined
    const left = [...this.#leaving.keys()].map((connection) => connection.close(withinMs))
    await this.#connecting?.catch(() => undefined)
    await last?.close(withinMs)
    await Promise.all([...left, ...this.#leaving.values()])
  }

  /** Ends a connection that nobody waits for any more, but `close`. */
  #leave(connection: Connection): void {
    const left = connection.close().finally(() => this.#leaving.delete(connection))
    this.#leaving.set(connection, left)
  }

  #startOnce(): Promise<Connection> {
    this.#connecting ??= this.#start().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #start(): Promise<Connection> {
    const wait = this.#backoff.waitMs(performance.now())
    if (wait > 0) await pause(wait, this.#closing.signal)
    const startedAt = performance.now()
    this.#backoff.started(startedAt)
    this.#starts += 1
    this.#enter('starting')
    const limitMs = connectMsOf(this.#config)
    const deadline = AbortSignal.any([AbortSignal.timeout(limitMs), this.#closing.signal])
    const holder: { connection?: Connection } = {}
    try {
      holder.connection = await connect(this.#config, this.#partsFor(holder), deadline)
    } catch (error) {
      const late = deadline.aborted && !this.#closing.signal.aborted
      const reason = late
        ? `not ready within ${String(limitMs)} ms${leftBehind(error)}`
        : messageOf(error)
      const refused = faultOf(error, { kind: 'lost', reason }).kind === 'unauthorized'
      this.#failed(reason, 0, refused)
      throw ToolError.isInstance(error) ? error : this.#unavailable(reason, undefined, error)
    }
    if (this.#closing.signal.aborted) {
      await holder.connection.close(this.#withinMs)
      throw this.#unavailable('the adapter is stopped')
    }
    this.#live = holder.connection
    this.#trouble = ''
    this.#readyAt = performance.now()
    this.#startMs = Math.round(this.#readyAt - startedAt)
    this.#enter('ready')
    this.#events.ready(holder.connection)
    return holder.connection
  }

  #partsFor(holder: { readonly connection?: Connection }): ConnectParts {
    return {
      ...this.#parts,
      withinMs: () => this.#withinMs,
      events: {
        toolsChanged: () => this.#events.toolsChanged(),
        resourceUpdated: (uri) => this.#events.resourceUpdated(uri),
        logged: (level, data) => this.#events.logged(level, data),
        lost: () => {
          const remains = holder.connection?.remains() ?? ''
          const reason = `the connection was lost${remains === '' ? '' : ` (${remains})`}`
          if (holder.connection === undefined || this.#live !== holder.connection) return
          this.#failed(reason, performance.now() - this.#readyAt)
          // What is left of its process may need to be ended.
          this.#leave(holder.connection)
        },
      },
    }
  }

  #failed(reason: string, uptimeMs: number, refused = false): void {
    this.#live = undefined
    if (this.#state === 'closed') return
    this.#backoff.failed(performance.now(), uptimeMs)
    this.#trouble = reason
    this.#lastError = reason
    this.#enter('cooling')
    this.#events.down(reason, refused)
  }

  #enter(state: 'starting' | 'ready' | 'cooling' | 'closed'): void {
    if (this.#state === state) return
    this.#state = state
    clearTimeout(this.#cooled)
    this.#events.state()
    if (state === 'cooling') this.#tellWhenCooled()
  }

  /** That the wait is over is a change of its state, too. Not where somebody waits for it, who starts it then. */
  #tellWhenCooled(): void {
    const wait = this.#backoff.waitMs(performance.now())
    this.#cooled = setTimeout(() => {
      if (this.state === 'cooling') this.#tellWhenCooled()
      else if (this.#connecting === undefined) this.#events.state()
    }, Math.ceil(wait))
    this.#cooled.unref()
  }

  #unavailable(reason: string, retryAfterMs?: number, cause?: unknown): ToolError {
    return new ToolError({
      code: 'backend_unavailable',
      message: `MCP server "${this.#parts.server}" is not available: ${reason}`,
      started: 'no',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

function backoffOf(config: McpServer): Backoff {
  return createBackoff('restart' in config ? (config.restart ?? {}) : {}, Math.random)
}

/** What the process left behind, which the error of an aborted handshake carries in parentheses. */
function leftBehind(error: unknown): string {
  const found = /\(.*\)$/s.exec(messageOf(error))?.[0]
  return found === undefined ? '' : ` ${found}`
}
