import type { Logger, ToolDefinition } from '@callgate/spec'

import type { Connection } from '../connect/connection.ts'
import { limitsOf } from '../connect/settings.ts'
import { defineTools, type LeftOut } from '../discover/define-tools.ts'
import { type Listed, listPages } from '../discover/list-pages.ts'
import type { CachedTools, ServerCache } from '../discover/tool-cache.ts'
import type { McpServer } from '../options.ts'
import { isRecord } from '../record.ts'
import { type Pins, pinsTrouble } from '../trust/pins.ts'
import { mayKeep, relistMs } from './freshness.ts'

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
  /** Whether they can be listed may be another than before. */
  state(): void
}

/** The tools of one server as last listed. */
export class Catalogue {
  readonly #parts: CatalogueParts
  readonly #stopped = new AbortController()
  #tools: readonly ToolDefinition[] = []
  #leftOut: readonly LeftOut[] = []
  #text: string | undefined
  #confirmed = false
  #fresh: Connection | undefined
  #trouble = ''
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #expiry: NodeJS.Timeout | undefined
  #delayMs = firstDelayMs
  /** When the list was last read. */
  #readAt = -Infinity

  constructor(parts: CatalogueParts) {
    this.#parts = parts
  }

  get tools(): readonly ToolDefinition[] {
    return this.#tools
  }

  get leftOut(): readonly LeftOut[] {
    return this.#leftOut
  }

  /** Whether there is a list, be it of an earlier run. */
  get taken(): boolean {
    return this.#text !== undefined
  }

  /** Whether the list is of an earlier run: the server itself gave none yet. */
  get unconfirmed(): boolean {
    return this.taken && !this.#confirmed
  }

  /** Why the last attempt to list failed; '' when it did not. */
  get trouble(): string {
    return this.#trouble
  }

  /** Offers the tools of an earlier run until the server is up; whether there are any. */
  async restore(): Promise<boolean> {
    const cached = await this.#parts.cache?.load()
    if (cached === undefined) return false
    return this.#take(cached)
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
    // After a long time without announcements the next one is not held up.
    const waitMs = Math.max(firstDelayMs, this.#readAt + this.#delayMs - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const connection = this.#parts.connection()
      if (connection === undefined) return
      void this.#reread(connection).then((differs) => {
        // A server that announces changes without any, or in answer to the listing itself, is asked ever more rarely.
        this.#delayMs = differs ? firstDelayMs : Math.min(this.#delayMs * 2, lastDelayMs)
      })
    }, waitMs)
    this.#timer.unref()
  }

  /** As `stale`, and at once: whoever asks for it waits for it. Whether it brought other tools. */
  relist(connection: Connection): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#delayMs = firstDelayMs
    return this.#reread(connection)
  }

  /** Keeps tools back that are offered so far; see `Pins.withhold`. */
  async withhold(names: readonly string[]): Promise<void> {
    const { pins, server, log } = this.#parts
    try {
      await pins?.withhold(names)
    } catch (error) {
      log.error('mcp: a late claim cannot be noted', { server, error: String(error) })
    }
    this.#offer(this.#tools.filter(({ name }) => !names.includes(name)))
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#expiry)
    this.#stopped.abort()
  }

  /** Whether it brought other tools. */
  async #reread(connection: Connection): Promise<boolean> {
    const before = this.#text
    this.#fresh = undefined
    await this.refresh(connection, this.#stopped.signal)
    const differs = this.#text !== before
    if (differs) this.#parts.changed()
    return differs
  }

  async #read(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#fresh = connection
    const { config, cache, server, log } = this.#parts
    // An announcement may come before the list itself, or right behind it.
    this.#readAt = performance.now()
    const listed = await listPages(connection, 'tools', limitsOf(config), signal)
    this.#readAt = performance.now()
    this.#expireIn(relistMs(listed, connection.era), connection)
    if ('fault' in listed) {
      this.#fail('its tools cannot be listed')
      log.warn('mcp: the tools cannot be listed', { server, fault: listed.fault.kind })
      // A list that was there once is tried again, ever more rarely; a first one is a matter of the start.
      if (this.taken) this.stale()
      return
    }
    const listing = listingOf(listed, connection, config)
    const earlier = this.#confirmed ? undefined : this.#text
    if (!(await this.#take(listing))) {
      // Read again ever more rarely, as for a server that announces changes.
      this.stale()
      return
    }
    this.#confirmed = true
    if (earlier !== undefined && earlier !== this.#text) this.#parts.changed()
    if (mayKeep(listed, connection.era, config)) await cache?.save(listing)
  }

  /** Reads the list again when the server said that it holds no longer (`ttlMs` of revision 2026-07-28). */
  #expireIn(ms: number | undefined, connection: Connection): void {
    clearTimeout(this.#expiry)
    if (ms === undefined || this.#stopped.signal.aborted) return
    this.#expiry = setTimeout(() => {
      if (this.#parts.connection() === connection) void this.#reread(connection)
    }, ms)
    this.#expiry.unref()
  }

  #fail(trouble: string): void {
    this.#fresh = undefined
    this.#trouble = trouble
    this.#parts.state()
  }

  /** Whether it could be taken: without a word from the pins there is no list, and nothing is offered. */
  async #take(listing: CachedTools): Promise<boolean> {
    const { server, config, log, pins } = this.#parts
    const { tools, access, leftOut } = defineTools(listing, server, config, log)
    this.#leftOut = leftOut
    try {
      const admitted =
        (await pins?.admit(tools, listing.instructions)) ?? tools.map(({ tool }) => tool)
      this.#offer([...admitted, ...access])
    } catch (error) {
      log.error('mcp: the approved tools cannot be read', { server, error: String(error) })
      this.#tools = []
      this.#text = undefined
      this.#fail(pinsTrouble(error))
      return false
    }
    this.#trouble = ''
    this.#parts.state()
    return true
  }

  #offer(tools: readonly ToolDefinition[]): void {
    this.#tools = tools
    this.#text = JSON.stringify([tools, this.#parts.pins?.instructions])
  }
}

function listingOf(listed: Listed, connection: Connection, config: McpServer): CachedTools {
  const { instructions, capabilities, info, era } = connection
  const offers = (['resources', 'prompts'] as const).filter((name) => isRecord(capabilities[name]))
  return {
    tools: listed.items,
    info,
    mirrorsParameters: config.url !== undefined && era === 'modern',
    ...(offers.length === 0 ? {} : { offers }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}
