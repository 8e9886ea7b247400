import type { AdapterHost, ToolDefinition } from '@callgate/spec'

import type { Callbacks } from '../callbacks/callbacks.ts'
import { type Fault, faultOf } from '../channel/fault.ts'
import type { Connection } from '../connect/connection.ts'
import { faultOfClient } from '../connect/ready-client.ts'
import { limitsOf } from '../connect/settings.ts'
import { serverCache, type ToolCache } from '../discover/tool-cache.ts'
import { toToolError } from '../invoke/tool-error.ts'
import type { McpServer } from '../options.ts'
import { cacheIdentityOf, identityOf } from '../trust/pin.ts'
import { type PinSettings, Pins } from '../trust/pins.ts'
import { Catalogue } from './catalogue.ts'
import { createHandOver, type HandOver } from './hand-over.ts'
import { logLine } from './log-line.ts'
import { Requests } from './requests.ts'
import { createRetries, type Retries } from './retries.ts'
import { ServerKeys } from './server-keys.ts'
import { type McpServerStatus, type ServerState, statusOf } from './status.ts'
import { Subscriptions } from './subscriptions.ts'
import { Supervisor, type SupervisorEvents } from './supervisor.ts'
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

/** A configured server with its connection, its catalogue and its subscriptions. */
export class RunningServer {
  readonly name: string
  readonly config: McpServer
  readonly identity: string
  readonly pins: Pins | undefined
  readonly requests: Requests
  readonly catalogue: Catalogue
  readonly handOver: HandOver
  readonly #host: AdapterHost
  readonly #supervisor: Supervisor
  readonly #subscriptions: Subscriptions
  readonly #retries: Retries
  readonly #keys = new ServerKeys()
  readonly #stopping = new AbortController()
  readonly #told: (server: RunningServer) => void
  #shown: ServerState = 'idle'

  constructor(name: string, config: McpServer, shared: Shared) {
    const { host } = shared
    this.name = name
    this.config = config
    this.#host = host
    this.#told = (server) => shared.state(server)
    this.identity = identityOf(name, config)
    const { identity } = this
    if (shared.pins !== undefined) this.pins = new Pins(shared.pins, name, identity, host.log)
    this.#subscriptions = new Subscriptions(limitsOf(config), (error) =>
      host.log.error('mcp: a listener failed', { server: name, error: String(error) }),
    )
    this.handOver = createHandOver(() => this.#tell())
    this.#retries = createRetries(
      () => this.#neglected(),
      () => this.#startAgain(),
    )
    this.catalogue = this.#createCatalogue(shared, identity)
    const parts = this.#keys.partsOf(name, config, shared, () => {
      this.#supervisor.mayStart()
      void this.#retries.now()
    })
    this.#supervisor = new Supervisor(config, parts, this.#events())
    this.requests = new Requests(name, config, this.#supervisor)
  }

  /** Fires when the adapter is stopped. */
  get stopped(): AbortSignal {
    return this.#stopping.signal
  }

  get state(): ServerState {
    const { state } = this.#supervisor
    if (state !== 'ready') return state
    if (this.catalogue.trouble !== '') return 'degraded'
    return this.handOver.known ? 'ready' : 'starting'
  }

  get status(): McpServerStatus {
    return statusOf(this, this.#supervisor, this.catalogue, (text) => this.#keys.shown(text))
  }

  /** What is wrong with it; '' when nothing is. */
  get trouble(): string {
    if (this.catalogue.taken && this.#supervisor.idle) return ''
    const { page } = this.#keys
    if (page !== undefined) return `waits for a user to authorize it at ${page}`
    const { trouble } = this.#supervisor
    if (trouble !== '') return trouble
    if (this.catalogue.trouble !== '') return this.catalogue.trouble
    return this.handOver.known ? '' : 'starting'
  }

  /** The live connection, without waiting. */
  get connection(): Connection | undefined {
    return this.#supervisor.current
  }

  /** Offers the tools of an earlier run, so that nobody has to wait for the server; whether there are any. */
  async restore(): Promise<boolean> {
    // Where that fails, it fails again and is told when there are tools to admit.
    await this.pins?.recall().catch(() => undefined)
    return this.catalogue.restore()
  }

  /** Whether a tool of this name was approved as this server's. */
  vouches(tool: string): boolean {
    return this.pins?.vouches(tool) === true
  }

  /** Keeps those of its tools back that have the name of another server's. */
  async withhold(late: readonly ToolDefinition[]): Promise<void> {
    const names = late.flatMap(({ namespace, name }) => (namespace === this.name ? [name] : []))
    if (names.length > 0) await this.catalogue.withhold(names)
  }

  /** Resolves when the server is ready and listed, or has failed; a failure is logged and tried again later. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      const connection = await this.#supervisor.connection(signal)
      await this.catalogue.refresh(connection, signal)
      this.#retries.later()
    } catch {
      // Logged by `down` and told by `health`; the other servers are not concerned.
    }
  }

  /** Its tools; undefined as long as there is no list of them. */
  async discover(signal: AbortSignal): Promise<readonly ToolDefinition[] | undefined> {
    const connection = this.#supervisor.current
    if (connection !== undefined) {
      // Only a list that takes the place of another is waited for: how long for a first one is a matter of the start.
      const { taken, unconfirmed } = this.catalogue
      const refreshed = this.catalogue.refresh(connection, this.stopped)
      const later = (): void => {
        if (this.catalogue.taken && this.catalogue.trouble === '') this.#host.toolsChanged()
      }
      if (taken && !unconfirmed) await waitForList(refreshed, signal, later)
      else refreshed.then(later, () => undefined)
    }
    return this.catalogue.taken ? this.catalogue.tools : undefined
  }

  /** Milliseconds in which a human had the word, over its present connection. */
  get humanMs(): number {
    return this.#supervisor.current?.humanMs() ?? 0
  }

  /** Calls the listener at each change of a resource, until the function given back is called. @throws ToolError */
  async subscribe(
    uri: string,
    listener: () => void,
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const connection = await this.requests.connection(signal)
    try {
      return await this.#subscriptions.add(connection, uri, listener, signal)
    } catch (error) {
      const fault: Fault = signal.aborted
        ? { kind: 'aborted', sent: true }
        : faultOf(error, faultOfClient(error, limitsOf(this.config)))
      throw toToolError(fault, this.name, connection.remains())
    }
  }

  /** @param withinMs when a server that does not want to end is killed. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort()
    this.#retries.stop()
    this.catalogue.stop()
    this.#keys.stop()
    await this.#supervisor.close(withinMs)
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
      state: () => this.#tell(),
    })
  }

  #events(): SupervisorEvents {
    const { name, config } = this
    const { log } = this.#host
    return {
      ready: (connection) => this.#onReady(connection),
      toolsChanged: () => this.catalogue.stale(),
      resourceUpdated: (uri) => this.#subscriptions.updated(uri),
      logged: (level, data) => logLine(log, name, level, data),
      down: (reason, refused) => {
        log.warn('mcp: server is down', { server: name, reason })
        if (refused && config.url !== undefined && config.auth?.kind === 'oauth') {
          this.#retries.refused()
        }
        this.#retries.later()
      },
      state: () => this.#tell(),
    }
  }

  #tell(): void {
    const { state } = this
    if (state === this.#shown) return
    this.#shown = state
    this.#told(this)
  }

  #onReady(connection: Connection): void {
    this.#host.log.info('mcp: server is connected', {
      server: this.name,
      era: connection.era,
      startMs: this.#supervisor.startMs,
    })
    this.#retries.succeeded()
    // A new process or session may offer other tools than the last one.
    if (this.catalogue.taken) this.catalogue.stale()
    this.#subscriptions.renew(connection)
  }

  /**
   * No call can wake a server whose tools were never listed, and who waits for its resources to change makes none, so it
   * is tried again by itself. Else nothing.
   */
  #neglected(): boolean {
    const awaited = !this.#subscriptions.none && this.#supervisor.current === undefined
    return (!this.catalogue.taken || awaited) && !this.stopped.aborted
  }

  async #startAgain(): Promise<void> {
    const { taken } = this.catalogue
    await this.start(this.stopped)
    if (!taken && this.catalogue.taken) this.#host.toolsChanged()
  }
}
