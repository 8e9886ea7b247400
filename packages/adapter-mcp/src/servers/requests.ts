import { ToolError } from '@callgate/spec'

import type { RequestOptions } from '../channel/channel.ts'
import type { Limits } from '../channel/pending.ts'
import type { Reply } from '../channel/reply.ts'
import type { Connection } from '../connect/connection.ts'
import { limitsOf } from '../connect/settings.ts'
import { listPages, type lists } from '../discover/list-pages.ts'
import { toToolError } from '../invoke/tool-error.ts'
import { traced, type TracedCall } from '../observe/traced.ts'
import type { McpServer } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import { createAliveCheck } from './alive-check.ts'
import { transportOf } from './status.ts'
import type { Supervisor } from './supervisor.ts'

/** What one request may carry beside its parameters. */
export type RequestExtras = Pick<RequestOptions, 'headers' | 'onProgress'> &
  Partial<Limits> & {
    readonly signal: AbortSignal
    /** The call of a tool that it is part of, for its span. */
    readonly call?: TracedCall
  }

/** The requests to one server, over whatever connection it has. All reject with a `ToolError`. */
export class Requests {
  readonly #server: string
  readonly #config: McpServer
  readonly #supervisor: Supervisor
  readonly #checkAlive: ReturnType<typeof createAliveCheck>

  constructor(server: string, config: McpServer, supervisor: Supervisor) {
    this.#server = server
    this.#config = config
    this.#supervisor = supervisor
    this.#checkAlive = createAliveCheck((connection, reason) => supervisor.drop(connection, reason))
  }

  /** The live connection; starts the server when it must. */
  connection(signal: AbortSignal): Promise<Connection> {
    return this.waitFor(this.#supervisor.connection(signal), signal)
  }

  /**
   * Sends a request and gives back its raw result, or what `read` makes of it. Sent again, on a new session, only where
   * the server said that the session of the first attempt is gone, so that it never ran. Whether an effect can have begun
   * is in `started` of the error.
   */
  send(method: string, params: JsonRecord, extras: RequestExtras): Promise<unknown>
  send<T>(
    method: string,
    params: JsonRecord,
    extras: RequestExtras,
    read: (result: unknown) => Promise<T>,
  ): Promise<T>
  send(
    method: string,
    params: JsonRecord,
    extras: RequestExtras,
    read?: (result: unknown) => Promise<unknown>,
  ): Promise<unknown> {
    const { name, uri } = params
    const target = typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined
    const transport = transportOf(this.#config)
    const about = { server: this.#server, transport, method, target, call: extras.call }
    return traced(about, async ({ meta, connected, answered }) => {
      const { signal } = extras
      const options = { ...limitsOf(this.#config), ...extras }
      const asked = meta === undefined ? params : { ...params, _meta: meta }
      let connection = await this.connection(signal)
      connected(connection.era)
      let reply: Reply = await connection.request(method, asked, options)
      if ('fault' in reply && reply.fault.kind === 'session-lost') {
        connection = await this.waitFor(this.#supervisor.renew(connection, signal), signal)
        reply = await connection.request(method, asked, options)
      }
      if ('result' in reply) {
        answered(reply.bytes)
        return read === undefined ? reply.result : read(reply.result)
      }
      if (reply.fault.kind === 'timeout') void this.#checkAlive(connection)
      throw toToolError(reply.fault, this.#server, connection.remains())
    })
  }

  /** Every item of a list of the protocol. */
  async list(list: keyof typeof lists, signal: AbortSignal): Promise<readonly unknown[]> {
    const connection = await this.connection(signal)
    const listed = await listPages(connection, list, limitsOf(this.#config), signal)
    if ('fault' in listed) throw toToolError(listed.fault, this.#server, connection.remains())
    return listed.items
  }

  /** The caller's stop while the server is still being started is a stop, not a failure of the server. */
  async waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (signal.aborted) throw toToolError({ kind: 'aborted', sent: false }, this.#server, '')
      if (ToolError.isInstance(error)) throw error
      const fault = { kind: 'unsent', reason: 'not connected', cause: error } as const
      throw toToolError(fault, this.#server, '')
    }
  }
}
