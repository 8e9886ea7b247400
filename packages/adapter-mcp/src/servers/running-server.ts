import type { AdapterHost, ToolDefinition } from '@callgate/spec'

import type { Callbacks } from '../callbacks/callbacks.ts'
import type { CallTarget } from '../invoke/call-tool.ts'
import type { McpServer } from '../options.ts'
import { abortable } from './abortable.ts'
import { Catalogue } from './catalogue.ts'
import { Supervisor } from './supervisor.ts'

export interface Shared {
  readonly callbacks: Callbacks
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly host: AdapterHost
}

const firstRetryMs = 1000
const lastRetryMs = 60_000

/** A configured server with its connection and its catalogue. */
export class RunningServer {
  readonly name: string
  readonly target: CallTarget
  readonly #host: AdapterHost
  readonly #supervisor: Supervisor
  readonly #catalogue: Catalogue
  readonly #stopping = new AbortController()
  #retry: NodeJS.Timeout | undefined
  #retryMs = firstRetryMs

  constructor(name: string, config: McpServer, shared: Shared) {
    const { host } = shared
    this.name = name
    this.#host = host
    this.#catalogue = new Catalogue({
      server: name,
      config,
      log: host.log,
      connection: () => this.#supervisor.current,
      changed: () => host.toolsChanged(),
    })
    this.#supervisor = new Supervisor(
      config,
      {
        server: name,
        clientInfo: shared.clientInfo,
        callbacks: shared.callbacks,
        log: host.log,
        secret: (secret) => host.secret(secret),
        debug: (message, fields) => {
          if (config.debug === true) host.log.debug(message, fields)
        },
        ...(config.debug === true
          ? {
              frame: (direction: string, message: object) => {
                host.log.debug(`mcp: ${direction}`, { server: name, message })
              },
            }
          : {}),
      },
      {
        ready: (connection) => {
          host.log.info('mcp: server is ready', { server: name, era: connection.era })
          // A new process or session may offer other tools than the last one.
          if (this.#catalogue.taken) this.#catalogue.stale()
        },
        toolsChanged: () => this.#catalogue.stale(),
        down: (reason) => {
          host.log.warn('mcp: server is down', { server: name, reason })
          this.#retryLater()
        },
      },
    )
    this.target = { server: name, settings: config, supervisor: this.#supervisor }
  }

  /** What is wrong with it; '' when nothing is. */
  get trouble(): string {
    return this.#supervisor.trouble
  }

  /** Resolves when the server is ready or has failed to be; a failure is logged and tried again later. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      const connection = await this.#supervisor.connection(signal)
      await this.#catalogue.refresh(connection, signal)
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

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#retry)
    this.#catalogue.stop()
    await this.#supervisor.close()
  }

  /** No call can wake a server whose tools were never listed, so it is tried again by itself. */
  #retryLater(): void {
    if (this.#catalogue.taken || this.#stopping.signal.aborted) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      void this.#startAgain()
    }, this.#retryMs)
    this.#retry.unref()
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
  }

  /** A failure comes back to `#retryLater` through `down`. */
  async #startAgain(): Promise<void> {
    await this.start(this.#stopping.signal)
    if (this.#catalogue.taken) this.#host.toolsChanged()
  }
}
