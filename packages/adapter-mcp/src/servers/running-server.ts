import { type AdapterHost, type ToolDefinition, ToolError } from '@callgate/spec'

import type { Authorizer } from '../auth/authorizer.ts'
import { createAuthorizer } from '../auth/create.ts'
import type { Callbacks } from '../callbacks/callbacks.ts'
import type { RequestOptions } from '../channel/channel.ts'
import type { Reply } from '../channel/reply.ts'
import type { Connection } from '../connect/connection.ts'
import { limitsOf } from '../connect/settings.ts'
import type { lists } from '../discover/list-pages.ts'
import { listPages } from '../discover/list-pages.ts'
import { serverCache, type ToolCache } from '../discover/tool-cache.ts'
import { toToolError } from '../invoke/tool-error.ts'
import type { McpServer } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import { identityOf } from '../trust/pin.ts'
import { type PinSettings, Pins } from '../trust/pins.ts'
import { abortable } from './abortable.ts'
import { Catalogue } from './catalogue.ts'
import { logLine } from './log-line.ts'
import { Subscriptions } from './subscriptions.ts'
import { Supervisor } from './supervisor.ts'

export interface Shared {
  readonly callbacks: Callbacks
  /** How the client names itself; else as this package. */
  readonly clientInfo: { readonly name: string; readonly version: string } | undefined
  readonly pins: PinSettings | undefined
  readonly toolCache: ToolCache | undefined
  readonly host: AdapterHost
}

/** What one request may carry beside its parameters. */
export type RequestExtras = Pick<RequestOptions, 'headers' | 'onProgress'> & {
  readonly signal: AbortSignal
}

const firstRetryMs = 1000
const lastRetryMs = 60_000
const aliveMs = 5000

/** A configured server with its connection, its catalogue and its subscriptions. */
export class RunningServer {
  readonly name: string
  readonly config: McpServer
  readonly pins: Pins | undefined
  readonly #host: AdapterHost
  readonly #supervisor: Supervisor
  readonly #catalogue: Catalogue
  readonly #subscriptions: Subscriptions
  readonly #stopping = new AbortController()
  #authorizer: Authorizer | undefined
  #retry: NodeJS.Timeout | undefined
  #retryMs = firstRetryMs

  constructor(name: string, config: McpServer, shared: Shared) {
    const { host } = shared
    this.name = name
    this.config = config
    this.#host = host
    const identity = identityOf(name, config)
    if (shared.pins !== undefined) this.pins = new Pins(shared.pins, name, identity, host.log)
    const { toolCache } = shared
    this.#subscriptions = new Subscriptions(limitsOf(config))
    this.#catalogue = new Catalogue({
      server: name,
      config,
      log: host.log,
      pins: this.pins,
      cache:
        toolCache === undefined || 'client' in config
          ? undefined
          : serverCache(toolCache, identity, name, host.log),
      connection: () => this.#supervisor.current,
      changed: () => host.toolsChanged(),
    })
    const frame = (direction: string, message: object): void => {
      host.log.debug(`mcp: ${direction}`, { server: name, message })
    }
    this.#supervisor = new Supervisor(
      config,
      {
        server: name,
        clientInfo: shared.clientInfo,
        callbacks: shared.callbacks,
        log: host.log,
        memory: {},
        secret: (secret) => host.secret(secret),
        authorizer: (url, fill) => {
          if ('url' in config) this.#authorizer ??= createAuthorizer(name, config, url, fill)
          return this.#authorizer
        },
        debug: (message, fields) => {
          if (config.debug === true) host.log.debug(message, fields)
        },
        ...(config.debug === true ? { frame } : {}),
      },
      {
        ready: (connection) => this.#onReady(connection),
        toolsChanged: () => this.#catalogue.stale(),
        resourceUpdated: (uri) => this.#subscriptions.updated(uri),
        logged: (level, data) => logLine(host.log, name, level, data),
        down: (reason) => {
          host.log.warn('mcp: server is down', { server: name, reason })
          this.#retryLater()
        },
      },
    )
  }

  /** What is wrong with it; '' when nothing is. */
  get trouble(): string {
    if (this.#catalogue.taken && this.#supervisor.idle) return ''
    const page = this.#authorizer?.waitingAt
    // The way of the page is for the operator; its parameters are nobody's.
    return page === undefined
      ? this.#supervisor.trouble
      : `waits for a user to authorize it at ${page.origin}${page.pathname}`
  }

  /** The live connection, without waiting. */
  get connection(): Connection | undefined {
    return this.#supervisor.current
  }

  /** Offers the tools of an earlier run, so that nobody has to wait for the server; whether there are any. */
  restore(): Promise<boolean> {
    return this.#catalogue.restore()
  }

  /** Resolves when the server is ready and listed, or has failed; a failure is logged and tried again later. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      const connection = await this.#supervisor.connection(signal)
      await this.#catalogue.refresh(connection, signal)
      this.#retryLater()
    } catch {
      // Logged by `down` and told by `health`; the other servers are not concerned.
    }
  }

  async discover(signal: AbortSignal): Promise<readonly ToolDefinition[]> {
    const connection = this.#supervisor.current
    if (connection !== undefined) {
      await abortable(this.#catalogue.refresh(connection, signal), signal)
    }
    return this.#catalogue.tools
  }

  /**
   * Sends a request and gives back its raw result. Sent again, on a new session, only where the server said that the
   * session of the first attempt is gone, so that it never ran.
   *
   * @throws ToolError with the facts; whether an effect can have begun is in `started`.
   */
  async request(method: string, params: JsonRecord, extras: RequestExtras): Promise<unknown> {
    const { signal } = extras
    const options = { ...limitsOf(this.config), ...extras }
    let connection = await this.#connected(this.#supervisor.connection(signal), signal)
    let reply: Reply = await connection.request(method, params, options)
    if ('fault' in reply && reply.fault.kind === 'session-lost') {
      connection = await this.#connected(this.#supervisor.renew(connection, signal), signal)
      reply = await connection.request(method, params, options)
    }
    if ('result' in reply) return reply.result
    if (reply.fault.kind === 'timeout') void this.#checkAlive(connection)
    throw toToolError(reply.fault, this.name, connection.remains())
  }

  /**
   * Before a call of a tool that is only known from an earlier run: compares it with what the server has now.
   *
   * @throws ToolError where the tool is gone or kept back, or the server cannot tell.
   */
  async confirm(tool: unknown, signal: AbortSignal): Promise<void> {
    if (!this.#catalogue.unconfirmed) return
    const connection = await this.#connected(this.#supervisor.connection(signal), signal)
    const refreshed = this.#catalogue.refresh(connection, signal).then(() => connection)
    await this.#connected(abortable(refreshed, signal), signal)
    const { unconfirmed, tools } = this.#catalogue
    if (unconfirmed) {
      const fault = { kind: 'unsent', reason: 'its tools cannot be listed' } as const
      throw toToolError(fault, this.name, connection.remains())
    }
    if (tools.some(({ name }) => name === tool)) return
    throw new ToolError({
      code: 'tool_not_found',
      message: `MCP server "${this.name}" does not offer the tool "${String(tool)}" any more.`,
      rule: 'mcp-tool-gone',
      started: 'no',
    })
  }

  /** Every item of a list of the protocol. @throws ToolError */
  async list(list: keyof typeof lists, signal: AbortSignal): Promise<readonly unknown[]> {
    const connection = await this.#connected(this.#supervisor.connection(signal), signal)
    const listed = await listPages(connection, list, limitsOf(this.config), signal)
    if ('fault' in listed) throw toToolError(listed.fault, this.name, connection.remains())
    return listed.items
  }

  /** Calls the listener at each change of a resource, until the function given back is called. @throws ToolError */
  async subscribe(
    uri: string,
    listener: () => void,
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const connection = await this.#connected(this.#supervisor.connection(signal), signal)
    return this.#subscriptions.add(connection, uri, listener, signal)
  }

  /** Approves tools that are kept back, all of them or by name; they are offered at once. */
  async approve(names?: readonly string[]): Promise<void> {
    await this.pins?.approve(names)
    this.#catalogue.stale()
  }

  /** @param withinMs when a server that does not want to end is killed. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#retry)
    this.#catalogue.stop()
    this.#authorizer?.stop()
    await this.#supervisor.close(withinMs)
  }

  /** The caller's stop while the server is still being started is a stop, not a failure of the server. */
  async #connected(work: Promise<Connection>, signal: AbortSignal): Promise<Connection> {
    try {
      return await work
    } catch (error) {
      if (signal.aborted) throw toToolError({ kind: 'aborted', sent: false }, this.name, '')
      if (ToolError.isInstance(error)) throw error
      const fault = { kind: 'unsent', reason: 'not connected', cause: error } as const
      throw toToolError(fault, this.name, '')
    }
  }

  /** After a call without an answer: a server that does not even answer the cheapest question is hung. */
  async #checkAlive(connection: Connection): Promise<void> {
    const method = connection.era === 'modern' ? 'server/discover' : 'ping'
    const limits = { idleMs: aliveMs, totalMs: aliveMs, humanMs: aliveMs }
    const reply = await connection.request(method, {}, limits)
    if ('fault' in reply && reply.fault.kind === 'timeout') {
      this.#supervisor.drop(connection, 'the server does not answer any more')
    }
  }

  #onReady(connection: Connection): void {
    this.#host.log.info('mcp: server is ready', { server: this.name, era: connection.era })
    this.#retryMs = firstRetryMs
    // A new process or session may offer other tools than the last one.
    if (this.#catalogue.taken) this.#catalogue.stale()
    this.#subscriptions.renew(connection)
  }

  /** No call can wake a server whose tools were never listed, so it is tried again by itself. Else nothing. */
  #retryLater(): void {
    if (this.#catalogue.taken || this.#stopping.signal.aborted) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      void this.#startAgain()
    }, this.#retryMs)
    this.#retry.unref()
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
  }

  async #startAgain(): Promise<void> {
    await this.start(this.#stopping.signal)
    if (this.#catalogue.taken) this.#host.toolsChanged()
    // Also where the supervisor has refused to try yet.
    else this.#retryLater()
  }
}
