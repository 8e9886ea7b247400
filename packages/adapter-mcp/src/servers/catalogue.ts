import type { Logger, ToolDefinition } from '@callgate/spec'

import type { Connection } from '../connect/connection.ts'
import { limitsOf } from '../connect/settings.ts'
import { toDefinition } from '../discover/definition.ts'
import { listPages } from '../discover/list-pages.ts'
import type { CachedTools, ServerCache } from '../discover/tool-cache.ts'
import type { McpServer } from '../options.ts'
import { isRecord, type JsonRecord } from '../record.ts'
import { cleanText } from '../text/clean.ts'
import { pinnedPart } from '../trust/pin.ts'
import type { PinnedTool, Pins } from '../trust/pins.ts'

const firstDelayMs = 50
const lastDelayMs = 30_000

export interface CatalogueParts {
  readonly server: string
  readonly config: McpServer
  readonly log: Logger
  readonly pins: Pins | undefined
  readonly cache: ServerCache | undefined
  connection(): Connection | undefined
  /** The tools differ from those of the last list. */
  changed(): void
}

/** The tools of one server as last listed. */
export class Catalogue {
  readonly #parts: CatalogueParts
  readonly #stopped = new AbortController()
  #tools: readonly ToolDefinition[] = []
  #text: string | undefined
  #confirmed = false
  #fresh: Connection | undefined
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #delayMs = firstDelayMs

  constructor(parts: CatalogueParts) {
    this.#parts = parts
  }

  get tools(): readonly ToolDefinition[] {
    return this.#tools
  }

  /** Whether there is a list, be it of an earlier run. */
  get taken(): boolean {
    return this.#text !== undefined
  }

  /** Whether the list is of an earlier run: the server itself gave none yet. */
  get unconfirmed(): boolean {
    return this.taken && !this.#confirmed
  }

  /** Offers the tools of an earlier run until the server is up; whether there are any. */
  async restore(): Promise<boolean> {
    const cached = await this.#parts.cache?.load()
    if (cached === undefined) return false
    await this.#take(cached)
    return true
  }

  /** Lists anew unless the list is fresh; the last good list stays when that fails. One at a time. */
  async refresh(connection: Connection, signal: AbortSignal): Promise<void> {
    while (this.#running !== undefined) {
      // oxlint-disable-next-line no-await-in-loop -- another may have begun meanwhile
      await this.#running
    }
    if (this.#fresh === connection) return
    this.#running = this.#read(connection, signal).finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  /** The list may have changed: it is read again soon, once for however many announcements. */
  stale(): void {
    if (this.#timer !== undefined || this.#stopped.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const connection = this.#parts.connection()
      if (connection !== undefined) void this.#reread(connection)
    }, this.#delayMs)
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stopped.abort()
  }

  async #reread(connection: Connection): Promise<void> {
    const before = this.#text
    this.#fresh = undefined
    await this.refresh(connection, this.#stopped.signal)
    const differs = this.#text !== before
    // A server that announces changes without any, or in answer to the listing itself, is asked ever more rarely.
    this.#delayMs = differs ? firstDelayMs : Math.min(this.#delayMs * 2, lastDelayMs)
    if (differs) this.#parts.changed()
  }

  async #read(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#fresh = connection
    const listed = await listPages(connection, 'tools', limitsOf(this.#parts.config), signal)
    if ('fault' in listed) {
      this.#fresh = undefined
      const { server, log } = this.#parts
      log.warn('mcp: the tools cannot be listed', { server, fault: listed.fault.kind })
      return
    }
    const { config, cache } = this.#parts
    const listing: CachedTools = {
      tools: listed.items,
      info: connection.info,
      mirrorsParameters: 'url' in config && connection.era === 'modern',
    }
    const earlier = this.#confirmed ? undefined : this.#text
    await this.#take(listing)
    this.#confirmed = true
    if (earlier !== undefined && earlier !== this.#text) this.#parts.changed()
    await cache?.save(listing)
  }

  async #take(listing: CachedTools): Promise<void> {
    this.#tools = await this.#admit(this.#define(listing))
    this.#text = JSON.stringify(this.#tools)
  }

  /** Without a word from the pins nothing is offered. */
  async #admit(defined: readonly PinnedTool[]): Promise<readonly ToolDefinition[]> {
    const { pins, server, log } = this.#parts
    if (pins === undefined) return defined.map(({ tool }) => tool)
    try {
      return await pins.admit(defined)
    } catch (error) {
      log.error('mcp: the approved tools cannot be read', { server, error: String(error) })
      return []
    }
  }

  #define({ tools, info, mirrorsParameters }: CachedTools): readonly PinnedTool[] {
    const { server, config, log } = this.#parts
    const origin = { server, settings: config, info, mirrorsParameters }
    const byName = new Map<string, PinnedTool>()
    for (const item of tools) {
      const made = toDefinition(item, origin)
      const tool = isRecord(item) ? cleanText(String(item['name'])).slice(0, 100) : ''
      if ('refused' in made) {
        log.warn('mcp: a tool is left out', { server, tool, reason: made.refused })
      } else if (byName.has(made.tool.name)) {
        log.warn('mcp: a tool is listed twice', { server, tool })
      } else {
        byName.set(made.tool.name, { tool: made.tool, seen: pinnedPart(item as JsonRecord) })
      }
    }
    return [...byName.values()]
  }
}
