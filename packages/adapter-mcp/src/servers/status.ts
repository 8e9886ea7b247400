import type { McpServer } from '../options.ts'
import { texts } from '../text/texts.ts'
import type { PendingTool } from '../trust/pins.ts'
import type { Catalogue } from './catalogue.ts'
import type { RunningServer } from './running-server.ts'
import type { Supervisor } from './supervisor.ts'

/**
 * How a server is: not wanted yet, being started until the gateway has its tools, usable, usable but its tools cannot be
 * listed, waiting after a failure until it may be started again, failed and started again by the next call, or stopped.
 */
export type ServerState =
  | 'idle'
  | 'starting'
  | 'ready'
  | 'degraded'
  | 'cooling'
  | 'failed'
  | 'closed'

/** What is known of a server; every text is cleaned, and secrets are left out. */
export interface McpServerStatus {
  readonly name: string
  readonly state: ServerState
  /** Why it is not ready. */
  readonly reason?: string
  readonly transport: 'stdio' | 'socket' | 'http' | 'client'
  /** Of the live connection: `legacy` up to 2025-11-25, `modern` from 2026-07-28. */
  readonly era?: 'legacy' | 'modern'
  /** How the server names itself. */
  readonly serverName?: string
  readonly serverVersion?: string
  /** What the server says about its use, unless `pins` keep it back because it changed. No model is shown it. */
  readonly instructions?: string
  /** How long its last start took, to the handshake, in milliseconds. */
  readonly startMs?: number
  /** How often it was started again. */
  readonly restarts: number
  /** Of the last failure, even where it is ready again. */
  readonly lastError?: string
  /** The end of what it wrote to stderr, secrets left out. */
  readonly stderrTail?: string
  /** Lines of its output that were no messages, since its last start. */
  readonly noiseLines: number
  /** Names of the tools that are offered to the gateway; its health names those of them that it refuses. */
  readonly tools: readonly string[]
  /** Tools that could not be read. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[]
  /** Tools that `pins` keep back. */
  readonly pending: readonly PendingTool[]
}

/** How a server is reached. */
export function transportOf(config: McpServer): McpServerStatus['transport'] {
  if (config.command !== undefined) return 'stdio'
  if (config.socket !== undefined) return 'socket'
  return config.url === undefined ? 'client' : 'http'
}

/** What is told of a server, put together from its parts; `shown` makes texts of others fit to be shown. */
export function statusOf(
  server: Pick<RunningServer, 'name' | 'config' | 'state' | 'trouble' | 'pins'>,
  supervisor: Supervisor,
  catalogue: Catalogue,
  shown: (text: string) => string,
): McpServerStatus {
  const { config, trouble, pins } = server
  const { current, startMs, lastError } = supervisor
  const { noiseLines = 0, stderrTail = '' } = current?.report() ?? {}
  const instructions = pins === undefined ? current?.instructions : pins.instructions
  return {
    name: server.name,
    state: server.state,
    transport: transportOf(config),
    ...texts(shown, {
      reason: trouble,
      serverName: current?.info.name,
      serverVersion: current?.info.version,
      instructions,
      lastError,
      stderrTail,
    }),
    ...connectionFields(current?.era, startMs),
    restarts: supervisor.restarts,
    noiseLines,
    tools: catalogue.tools.map(({ name }) => name),
    leftOut: catalogue.leftOut,
    pending: (pins?.pending ?? []).map((each) => ({
      ...each,
      differences: each.differences.map(shown),
      definition: shown(each.definition),
    })),
  }
}

function connectionFields(
  era: McpServerStatus['era'],
  startMs: number | undefined,
): Pick<McpServerStatus, 'era' | 'startMs'> {
  return {
    ...(era === undefined ? {} : { era }),
    ...(startMs === undefined ? {} : { startMs }),
  }
}
