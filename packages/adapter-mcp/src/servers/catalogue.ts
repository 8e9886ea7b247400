import type { Logger } from '@callgate/spec'

import type { Connection } from '../connect/connection.ts'
import { limitsOf } from '../connect/settings.ts'
import { type DiscoveredTool, toDefinition } from '../discover/definition.ts'
import { listTools } from '../discover/list-tools.ts'
import type { McpServer } from '../options.ts'
import { cleanText } from '../text/clean.ts'

/** The tools of one server as last listed. */
export interface Catalogue {
  tools(): readonly DiscoveredTool[]
  /** Whether the list was taken at least once. */
  taken(): boolean
  /** Lists anew unless the list is fresh; the last good list stays when that fails. One at a time. */
  refresh(connection: Connection, signal: AbortSignal): Promise<void>
  /** The list may have changed; reads it again soon, and says `changed` if it differs. */
  stale(connection: () => Connection | undefined): void
  stop(): void
}

const firstDelayMs = 50
const lastDelayMs = 30_000

export function createCatalogue(
  server: string,
  config: McpServer,
  log: Logger,
  changed: () => void,
): Catalogue {
  let tools: readonly DiscoveredTool[] = []
  let text: string | undefined
  let fresh: Connection | undefined
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let delay = firstDelayMs
  const stopped = new AbortController()

  async function read(connection: Connection, signal: AbortSignal): Promise<void> {
    fresh = connection
    const listed = await listTools(connection, limitsOf(config), signal)
    if ('fault' in listed) {
      fresh = undefined
      log.warn('mcp: the tools cannot be listed', { server, fault: listed.fault.kind })
      return
    }
    tools = define(listed.tools, connection)
    text = JSON.stringify(tools)
  }

  function define(raw: readonly unknown[], connection: Connection): readonly DiscoveredTool[] {
    const byName = new Map<string, DiscoveredTool>()
    for (const item of raw) {
      const made = toDefinition(item, server, config, connection.info)
      const name = nameOf(item)
      if ('refused' in made)
        log.warn('mcp: a tool is left out', { server, tool: name, reason: made.refused })
      else if (byName.has(name)) log.warn('mcp: a tool is listed twice', { server, tool: name })
      else byName.set(made.tool.name, made.tool)
    }
    return [...byName.values()]
  }

  async function refresh(connection: Connection, signal: AbortSignal): Promise<void> {
    if (running !== undefined) await running
    if (fresh === connection) return
    running = read(connection, signal).finally(() => {
      running = undefined
    })
    await running
  }

  async function reread(connection: Connection): Promise<void> {
    const before = text
    fresh = undefined
    await refresh(connection, stopped.signal)
    const differs = text !== before
    // A server that announces changes without any, or in answer to the listing itself, is asked ever more rarely.
    delay = differs ? firstDelayMs : Math.min(delay * 2, lastDelayMs)
    if (differs) changed()
  }

  return {
    tools: () => tools,
    taken: () => text !== undefined,
    refresh,
    stale(connection) {
      if (timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        const live = connection()
        if (live !== undefined) void reread(live)
      }, delay)
      timer.unref()
    },
    stop() {
      clearTimeout(timer)
      stopped.abort()
    },
  }
}

function nameOf(raw: unknown): string {
  const name =
    typeof raw === 'object' && raw !== null ? (raw as { name?: unknown }).name : undefined
  return cleanText(String(name)).slice(0, 100)
}
