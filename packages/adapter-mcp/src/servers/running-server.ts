import type { AdapterHost } from '@callgate/spec'

import type { Callbacks } from '../callbacks/callbacks.ts'
import type { DiscoveredTool } from '../discover/definition.ts'
import type { CallTarget } from '../invoke/call-tool.ts'
import type { McpServer } from '../options.ts'
import { abortable } from './abortable.ts'
import { createCatalogue } from './catalogue.ts'
import { createSupervisor } from './server.ts'

/** A configured server with its connection and its catalogue. */
export interface RunningServer {
  readonly name: string
  readonly target: CallTarget
  /** Resolves when the server is ready or has failed to be; a failure is logged and tried again later. */
  start(signal: AbortSignal): Promise<void>
  discover(signal: AbortSignal): Promise<readonly DiscoveredTool[]>
  /** What is wrong with it; '' when nothing is. */
  trouble(): string
  stop(): Promise<void>
}

interface Shared {
  readonly callbacks: Callbacks
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly host: AdapterHost
}

const retryMs = 5000

export function createRunningServer(
  name: string,
  config: McpServer,
  shared: Shared,
): RunningServer {
  const { host } = shared
  const stopping = new AbortController()
  let retry: NodeJS.Timeout | undefined

  const catalogue = createCatalogue(name, config, host.log, () => host.toolsChanged())
  const supervisor = createSupervisor(
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
    },
    {
      ready: (connection) => {
        host.log.info('mcp: server is ready', { server: name, era: connection.era })
        // After the first time, what a new process or session offers may differ from what is known.
        if (catalogue.taken()) catalogue.stale(() => supervisor.current())
      },
      toolsChanged: () => catalogue.stale(() => supervisor.current()),
      down: (reason) => {
        host.log.warn('mcp: server is down', { server: name, reason })
        retryLater()
      },
    },
  )

  /** Tools of a server that was never up are unknown, so that no call can wake it: it is tried again by itself. */
  function retryLater(): void {
    if (catalogue.taken() || stopping.signal.aborted) return
    clearTimeout(retry)
    retry = setTimeout(() => {
      supervisor.connection(stopping.signal).then(
        () => host.toolsChanged(),
        () => retryLater(),
      )
    }, retryMs)
    retry.unref()
  }

  return {
    name,
    target: { server: name, settings: config, supervisor },
    async start(signal) {
      try {
        const connection = await supervisor.connection(signal)
        await catalogue.refresh(connection, signal)
      } catch {
        // Already logged by `down`, and told by `health`.
      }
    },
    async discover(signal) {
      const connection = supervisor.current()
      if (connection !== undefined) await abortable(catalogue.refresh(connection, signal), signal)
      return catalogue.tools()
    },
    trouble: () => supervisor.trouble(),
    async stop() {
      stopping.abort()
      clearTimeout(retry)
      catalogue.stop()
      await supervisor.close()
    },
  }
}
