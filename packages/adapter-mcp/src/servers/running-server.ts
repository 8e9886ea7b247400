import { type AdapterHost, type ToolDefinition, ToolError } from '@callgate/spec'

import type { Authorizer } from '../auth/authorizer.ts'
import { createAuthorizer } from '../auth/create.ts'
import type { Callbacks } from '../callbacks/callbacks.ts'
import type { RequestOptions } from '../channel/channel.ts'
import { type Fault, faultOf } from '../channel/fault.ts'
import type { Limits } from '../channel/pending.ts'
import type { Reply } from '../channel/reply.ts'
import type { ConnectParts } from '../connect/connect.ts'
import type { Connection } from '../connect/connection.ts'
import { faultOfClient } from '../connect/ready-client.ts'
import { limitsOf } from '../connect/settings.ts'
import { isAllowed } from '../discover/allow.ts'
import type { lists } from '../discover/list-pages.ts'
import { listPages } from '../discover/list-pages.ts'
import { serverCache, type ToolCache } from '../discover/tool-cache.ts'
import { toToolError } from '../invoke/tool-error.ts'
import { traced, type TracedCall } from '../observe/traced.ts'
import type { McpServer } from '../options.ts'
import type { JsonRecord } from '../record.ts'
import { cleanText } from '../text/clean.ts'
import { Credentials } from '../text/credentials.ts'
import { formsInJson, redactJson } from '../text/redact-json.ts'
import { redact } from '../text/redact.ts'
import { cacheIdentityOf, identityOf } from '../trust/pin.ts'
import { type Approval, nameOf, type PinSettings, Pins, pinsTrouble } from '../trust/pins.ts'
import { abortable } from './abortable.ts'
import { createAliveCheck } from './alive-check.ts'
import { Catalogue } from './catalogue.ts'
import { logLine } from './log-line.ts'
import { type McpServerStatus, type ServerState, statusOf, transportOf } from './status.ts'
import { Subscriptions } from './subscriptions.ts'
import { Supervisor } from './supervisor.ts'
import { waitForList } from './wait-for-list.ts'

export interface Shared {
  readonly callbacks: Callbacks
  /** How the client names itself; else as this package. */
  readonly clientInfo: { readonly name: string; readonly version: string } | undefined
  readonly pins: PinSettings | undefined
  readonly toolCache: ToolCache | undefined
  readonly host: AdapterHost
  /** The state of a server may be another than before. */
  state(server: RunningServer): void
}

/** What one request may carry beside its parameters. */
export type RequestExtras = Pick<RequestOptions, 'headers' | 'onProgress'> &
  Partial<Limits> & {
    readonly signal: AbortSignal
    /** The call of a tool that it is part of, for its span. */
    readonly call?: TracedCall
  }

const firstRetryMs = 1000
const lastRetryMs = 60_000
const refusedRetryMs = 600_000

/** A configured server with its connection, its catalogue and its subscriptions. */
export class RunningServer {
  readonly name: string
  readonly config: McpServer
  readonly identity: string
  readonly pins: Pins | undefined
  readonly #host: AdapterHost
  readonly #supervisor: Supervisor
  readonly #catalogue: Catalogue
  readonly #subscriptions: Subscriptions
  readonly #stopping = new AbortController()
  #authorizer: Authorizer | undefined
  #retry: NodeJS.Timeout | undefined
  #retryMs = firstRetryMs
  readonly #checkAlive = createAliveCheck((connection, reason) => {
    this.#supervisor.drop(connection, reason)
  })
  /** Secrets that were put in, for what is logged. */
  readonly #secrets = new Set<string>()
  readonly #credentials = new Credentials()
  #shown: ServerState = 'idle'
  /** Whether the host has a list of its tools, or calls it without one. */
  #known = false
  /** Who waits until the host has its next list. */
  readonly #awaited: (() => void)[] = []
  readonly #state: () => void

  constructor(name: string, config: McpServer, shared: Shared) {
    const { host } = shared
    this.name = name
    this.config = config
    this.#host = host
    this.#state = () => {
      const { state } = this
      if (state === this.#shown) return
      this.#shown = state
      shared.state(this)
    }
    this.identity = identityOf(name, config)
    const { identity } = this
    if (shared.pins !== undefined) this.pins = new Pins(shared.pins, name, identity, host.log)
    this.#subscriptions = new Subscriptions(limitsOf(config), (error) =>
      host.log.error('mcp: a listener failed', { server: name, error: String(error) }),
    )
    this.#catalogue = this.#createCatalogue(shared, identity)
    this.#supervisor = new Supervisor(config, this.#connectParts(shared), {
      ready: (connection) => this.#onReady(connection),
      toolsChanged: () => this.#catalogue.stale(),
      resourceUpdated: (uri) => this.#subscriptions.updated(uri),
      logged: (level, data) => logLine(host.log, name, level, data),
      down: (reason, refused) => {
        host.log.warn('mcp: server is down', { server: name, reason })
        // Its user must not be asked again and again.
        if (refused && config.url !== undefined && config.auth?.kind === 'oauth') {
          this.#retryMs = refusedRetryMs
        }
        this.#retryLater()
      },
      state: () => this.#state(),
    })
  }

  get state(): ServerState {
    const { state } = this.#supervisor
    if (state !== 'ready') return state
    if (this.#catalogue.trouble !== '') return 'degraded'
    return this.#known ? 'ready' : 'starting'
  }

  get status(): McpServerStatus {
    // A server may repeat what it was sent, in an error or in what is kept back of it.
    const shown = (text: string): string =>
      this.#credentials.text(redact(cleanText(text), formsInJson(this.#secrets)))
    return statusOf(this, this.#supervisor, this.#catalogue, shown)
  }

  /** What is wrong with it; '' when nothing is. */
  get trouble(): string {
    if (this.#catalogue.taken && this.#supervisor.idle) return ''
    const page = this.#authorizer?.waitingAt
    // The way of the page is for the operator; its parameters are nobody's.
    if (page !== undefined) {
      return `waits for a user to authorize it at ${page.origin}${page.pathname}`
    }
    const { trouble } = this.#supervisor
    if (trouble !== '') return trouble
    if (this.#catalogue.trouble !== '') return this.#catalogue.trouble
    return this.#known ? '' : 'starting'
  }

  /** The live connection, without waiting. */
  get connection(): Connection | undefined {
    return this.#supervisor.current
  }

  /** Offers the tools of an earlier run, so that nobody has to wait for the server; whether there are any. */
  async restore(): Promise<boolean> {
    // Where that fails, it fails again and is told when there are tools to admit.
    await this.pins?.recall().catch(() => undefined)
    return this.#catalogue.restore()
  }

  /** Whether a tool of this name was approved as this server's. */
  vouches(tool: string): boolean {
    return this.pins?.vouches(tool) === true
  }

  /** Keeps those of its tools back that have the name of another server's. */
  async withhold(late: readonly ToolDefinition[]): Promise<void> {
    const names = late.flatMap(({ namespace, name }) => (namespace === this.name ? [name] : []))
    if (names.length > 0) await this.#catalogue.withhold(names)
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

  /** Its tools; undefined as long as there is no list of them. */
  async discover(signal: AbortSignal): Promise<readonly ToolDefinition[] | undefined> {
    const connection = this.#supervisor.current
    if (connection !== undefined) {
      const refreshed = this.#catalogue.refresh(connection, this.#stopping.signal)
      await waitForList(refreshed, signal, () => {
        if (this.#catalogue.taken && this.#catalogue.trouble === '') this.#host.toolsChanged()
      })
    }
    return this.#catalogue.taken ? this.#catalogue.tools : undefined
  }

  /** To be called when its tools go to the host, which takes a list in as soon as it has it. */
  handOver(): void {
    this.#known = true
    // Told in the next turn of the event loop: then they can be called.
    setImmediate(() => {
      this.#state()
      for (const resolve of this.#awaited.splice(0)) resolve()
    })
  }

  /**
   * Sends a request and gives back its raw result, or what `read` makes of it. Sent again, on a new session, only where
   * the server said that the session of the first attempt is gone, so that it never ran.
   *
   * @throws ToolError with the facts; whether an effect can have begun is in `started`.
   */
  request(method: string, params: JsonRecord, extras: RequestExtras): Promise<unknown>
  request<T>(
    method: string,
    params: JsonRecord,
    extras: RequestExtras,
    read: (result: unknown) => Promise<T>,
  ): Promise<T>
  request(
    method: string,
    params: JsonRecord,
    extras: RequestExtras,
    read?: (result: unknown) => Promise<unknown>,
  ): Promise<unknown> {
    const { name, uri } = params
    const target = typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined
    const transport = transportOf(this.config)
    const about = { server: this.name, transport, method, target, call: extras.call }
    return traced(about, async ({ meta, connected, answered }) => {
      const { signal } = extras
      const options = { ...limitsOf(this.config), ...extras }
      const asked = meta === undefined ? params : { ...params, _meta: meta }
      let connection = await this.#connected(this.#supervisor.connection(signal), signal)
      connected(connection.era)
      let reply: Reply = await connection.request(method, asked, options)
      if ('fault' in reply && reply.fault.kind === 'session-lost') {
        connection = await this.#connected(this.#supervisor.renew(connection, signal), signal)
        reply = await connection.request(method, asked, options)
      }
      if ('result' in reply) {
        answered(reply.bytes)
        return read === undefined ? reply.result : read(reply.result)
      }
      if (reply.fault.kind === 'timeout') void this.#checkAlive(connection)
      throw toToolError(reply.fault, this.name, connection.remains())
    })
  }

  /** Milliseconds in which a human had the word, over its present connection. */
  get humanMs(): number {
    return this.#supervisor.current?.humanMs() ?? 0
  }

  /**
   * Looks, before a call, whether the tool may be called: allowed by the operator, not kept back by the pins, and,
   * where it is only known from an earlier run, still what the server offers.
   *
   * @throws ToolError where it may not, or the server cannot tell.
   */
  async admit(tool: string, signal: AbortSignal): Promise<void> {
    if (!isAllowed(tool, this.config)) throw this.#gone(tool)
    // A declared tool is called whether or not anybody asked for a list.
    this.#known = true
    const { unconfirmed, taken } = this.#catalogue
    if (unconfirmed || (this.pins !== undefined && !taken)) await this.#confirm(signal)
    else if (this.pins === undefined) return
    if (this.pins?.holds(tool) === true) {
      throw this.#changed(tool, 'approved', 'mcp-tool-held')
    }
    if (this.#catalogue.tools.some(({ name }) => name === tool)) return
    throw this.#gone(tool)
  }

  async #confirm(signal: AbortSignal): Promise<void> {
    const connection = await this.#connected(this.#supervisor.connection(signal), signal)
    // The list is for all who want it: a caller who stops does not stop it.
    const listing = this.#catalogue.refresh(connection, this.#stopping.signal)
    const refreshed = listing.then(() => connection)
    await this.#connected(abortable(refreshed, signal), signal)
    const { unconfirmed, taken } = this.#catalogue
    if (taken && !unconfirmed) return
    const reason = this.#catalogue.trouble
    const fault = { kind: 'unsent', reason } as const
    throw toToolError(fault, this.name, connection.remains())
  }

  #changed(tool: string, since: string, rule: string): ToolError {
    return new ToolError({
      code: 'definition_changed',
      message: `MCP server "${this.name}": the tool "${tool}" is not what was ${since}.`,
      rule,
      started: 'no',
    })
  }

  #gone(tool: string): ToolError {
    return new ToolError({
      code: 'tool_not_found',
      message: `MCP server "${this.name}" does not offer the tool "${tool}".`,
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
    try {
      return await this.#subscriptions.add(connection, uri, listener, signal)
    } catch (error) {
      const fault: Fault = signal.aborted
        ? { kind: 'aborted', sent: true }
        : faultOf(error, faultOfClient(error, limitsOf(this.config)))
      throw toToolError(fault, this.name, connection.remains())
    }
  }

  /**
   * Approves tools that are kept back, all of them or those asked for, and resolves when they can be called, where the
   * server is up. @throws ToolError, approving none, where the server has no tool of a name, or one is not any more what
   * was looked at.
   */
  async approve(asked?: readonly Approval[]): Promise<void> {
    const { current } = this.#supervisor
    // What could not be read may be readable by now, and else would be taken for empty.
    if (current !== undefined && this.#catalogue.trouble !== '') {
      await this.#catalogue.relist(current)
    }
    this.#checkAsked(asked ?? [])
    try {
      await this.pins?.approve(asked)
    } catch (cause) {
      throw toToolError({ kind: 'unsent', reason: pinsTrouble(cause), cause }, this.name, '')
    }
    if (current === undefined || !(await this.#catalogue.relist(current))) return
    const offered = new Promise<void>((resolve) => this.#awaited.push(resolve))
    const { signal } = this.#stopping
    await waitForList(offered, signal, () => undefined).catch(() => undefined)
  }

  #checkAsked(asked: readonly Approval[]): void {
    const known = [...(this.pins?.pending ?? []), ...this.#catalogue.tools]
    const unknown = asked.map(nameOf).find((each) => known.every(({ name }) => name !== each))
    if (unknown !== undefined) throw this.#gone(unknown)
    const other = this.pins?.otherThan(asked)
    if (other !== undefined) throw this.#changed(nameOf(other), 'looked at', 'mcp-tool-changed')
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

  /** Tells the server, where it is connected, of something that happened here. */
  async notify(method: string): Promise<void> {
    await this.#supervisor.current?.notify(method)
  }

  #createCatalogue({ host, toolCache }: Shared, identity: string): Catalogue {
    const { name, config } = this
    return new Catalogue({
      server: name,
      config,
      log: host.log,
      pins: this.pins,
      cache:
        toolCache === undefined || config.client !== undefined
          ? undefined
          : serverCache(toolCache, cacheIdentityOf(identity, config), name, host.log),
      connection: () => this.#supervisor.current,
      changed: () => host.toolsChanged(),
      state: () => this.#state(),
    })
  }

  #connectParts({
    host,
    clientInfo,
    callbacks,
  }: Shared): Omit<ConnectParts, 'events' | 'withinMs'> {
    const { name, config } = this
    const { log } = host
    const credentials = this.#credentials
    const debug: ConnectParts['debug'] = (message, fields) => {
      if (config.debug === true) log.debug(message, fields)
    }
    const frame: ConnectParts['frame'] = (direction, message) => {
      const secrets = new Set([...this.#secrets, ...this.#credentials.known])
      log.debug(`mcp: ${direction}`, { server: name, message: redactJson(message, secrets) })
    }
    return {
      server: name,
      clientInfo,
      callbacks,
      log,
      memory: { foundAt: 0 },
      secret: (secret) => {
        const value = host.secret(secret)
        this.#secrets.add(value)
        return value
      },
      authorizer: (url, fill) => {
        if (config.url !== undefined)
          this.#authorizer ??= createAuthorizer(name, config, url, fill, credentials, () => {
            this.#supervisor.mayStart()
            void this.#startAgain()
          })
        return this.#authorizer
      },
      credentials,
      debug,
      ...(config.debug === true ? { frame } : {}),
    }
  }

  #onReady(connection: Connection): void {
    this.#host.log.info('mcp: server is connected', {
      server: this.name,
      era: connection.era,
      startMs: this.#supervisor.startMs,
    })
    this.#retryMs = firstRetryMs
    // A new process or session may offer other tools than the last one.
    if (this.#catalogue.taken) this.#catalogue.stale()
    this.#subscriptions.renew(connection)
  }

  /**
   * No call can wake a server whose tools were never listed, and who waits for its resources to change makes none, so it
   * is tried again by itself. Else nothing.
   */
  #retryLater(): void {
    const awaited = !this.#subscriptions.none && this.#supervisor.current === undefined
    if ((this.#catalogue.taken && !awaited) || this.#stopping.signal.aborted) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      void this.#startAgain()
    }, this.#retryMs)
    this.#retry.unref()
    this.#retryMs = Math.min(this.#retryMs * 2, Math.max(lastRetryMs, this.#retryMs))
  }

  async #startAgain(): Promise<void> {
    const { taken } = this.#catalogue
    await this.start(this.#stopping.signal)
    if (!taken && this.#catalogue.taken) this.#host.toolsChanged()
    // Also where the supervisor has refused to try yet.
    this.#retryLater()
  }
}
