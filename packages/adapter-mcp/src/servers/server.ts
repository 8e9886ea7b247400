import { ToolError } from '@callgate/spec'

import type { ConnectParts } from '../connect/connect.ts'
import { connect } from '../connect/connect.ts'
import type { Connection } from '../connect/connection.ts'
import { connectMsOf } from '../connect/settings.ts'
import type { McpServer } from '../options.ts'
import { abortable } from './abortable.ts'
import { createBackoff } from './backoff.ts'

export type ServerState = 'idle' | 'starting' | 'ready' | 'cooling' | 'closed'

/** One configured server and its connection, which is made, lost and made again. */
export interface Supervisor {
  state(): ServerState
  /** Why it is not ready; '' when it is. */
  trouble(): string
  /** The live connection, without waiting. */
  current(): Connection | undefined
  /** The live connection; starts the server when it must. Rejects with a `ToolError`. */
  connection(signal: AbortSignal): Promise<Connection>
  /** Puts a new connection in place of one whose session is gone; once for all who saw it go. */
  renew(gone: Connection, signal: AbortSignal): Promise<Connection>
  close(): Promise<void>
}

export interface SupervisorEvents {
  ready(connection: Connection): void
  toolsChanged(): void
  down(reason: string): void
}

/** A call waits this long for a restart; beyond it, it is told when to come back. */
const patienceMs = 5000

export function createSupervisor(
  config: McpServer,
  parts: Omit<ConnectParts, 'events'>,
  events: SupervisorEvents,
): Supervisor {
  const backoff = createBackoff('restart' in config ? (config.restart ?? {}) : {}, Math.random)
  const closing = new AbortController()
  let state: ServerState = 'idle'
  let trouble = ''
  let live: Connection | undefined
  let connecting: Promise<Connection> | undefined
  let readyAt = 0

  function unavailable(reason: string, retryAfterMs?: number, cause?: unknown): ToolError {
    return new ToolError({
      code: 'backend_unavailable',
      message: `MCP server "${parts.server}" is not available: ${reason}`,
      started: 'no',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
      ...(cause === undefined ? {} : { cause }),
    })
  }

  function failed(reason: string, uptimeMs: number): void {
    live = undefined
    if (state === 'closed') return
    backoff.failed(performance.now(), uptimeMs)
    state = 'cooling'
    trouble = reason
    events.down(reason)
  }

  async function start(): Promise<Connection> {
    const wait = backoff.waitMs(performance.now())
    if (wait > 0) await abortable(sleep(wait, closing.signal), closing.signal)
    state = 'starting'
    backoff.started(performance.now())
    const limit = connectMsOf(config)
    const deadline = AbortSignal.any([AbortSignal.timeout(limit), closing.signal])
    let mine: Connection | undefined
    try {
      mine = await connect(
        config,
        {
          ...parts,
          events: {
            toolsChanged: () => events.toolsChanged(),
            lost: () => {
              const remains = mine?.remains() ?? ''
              failed(
                `the connection was lost${remains === '' ? '' : ` (${remains})`}`,
                performance.now() - readyAt,
              )
            },
          },
        },
        deadline,
      )
    } catch (error) {
      const late = deadline.aborted && !closing.signal.aborted
      const reason = late ? `not ready within ${String(limit)} ms` : messageOf(error)
      failed(late ? `${reason}${detail(error)}` : reason, 0)
      throw ToolError.isInstance(error) ? error : unavailable(trouble || reason, undefined, error)
    }
    live = mine
    state = 'ready'
    trouble = ''
    readyAt = performance.now()
    events.ready(mine)
    return mine
  }

  function startOnce(): Promise<Connection> {
    connecting ??= start().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  return {
    state: () => state,
    trouble: () => trouble,
    current: () => live,
    async connection(signal) {
      if (live !== undefined) return live
      if (state === 'closed') throw unavailable('the adapter is stopped')
      const wait = connecting === undefined ? backoff.waitMs(performance.now()) : 0
      if (wait > patienceMs) throw unavailable(trouble, wait)
      return abortable(startOnce(), signal)
    },
    async renew(gone, signal) {
      if (live === gone) {
        live = undefined
        state = 'starting'
        void gone.close()
      }
      return live ?? abortable(startOnce(), signal)
    },
    async close() {
      state = 'closed'
      closing.abort(new Error('the adapter is stopped'))
      const last = live
      live = undefined
      await connecting?.catch(() => undefined)
      await last?.close()
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What the process left behind, which the error of an aborted handshake carries in parentheses. */
function detail(error: unknown): string {
  const found = error instanceof Error ? /\(.*\)$/s.exec(error.message)?.[0] : undefined
  return found === undefined ? '' : ` ${found}`
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}
