import type { Logger, ToolDefinition } from '@callgate/spec'

import { createQueue, type Queue } from '../queue.ts'
import type { JsonRecord } from '../record.ts'
import { type ApprovedTools, changePins, type PinStore } from './pin-store.ts'
import { definitionText, differences, digestOf, instructionsName } from './pin.ts'

export interface PinSettings {
  readonly store: PinStore
  /**
   * What a tool that is new or changed leads to: `block` keeps it back until it is approved, `warn` logs the difference
   * at each start and goes on, `allow` logs it once and approves. Default `block`.
   */
  readonly onChange?: 'allow' | 'warn' | 'block'
}

/** A listed tool with the part of it that is pinned. */
export interface PinnedTool {
  readonly tool: ToolDefinition
  readonly seen: JsonRecord
}

/** A tool that is kept back, or, by the name `(instructions)`, what the server says about its use. */
export interface PendingTool {
  readonly name: string
  readonly state: 'new' | 'changed'
  /** What changed, a line for each place, and long texts cut; empty for a new tool. */
  readonly differences: readonly string[]
  /**
   * All that counts of it, as the server sent it: JSON, to be shown whole to whoever approves it. A character that a reader
   * would not see stands there as its number, and secrets are left out.
   */
  readonly definition: string
  /** SHA-256, in hex, over all that counts of it: approved with this, it is approved as it is here. */
  readonly digest: string
}

interface Held {
  readonly shown: PendingTool
  readonly seen: JsonRecord
}

/** What is approved: by its name, whatever it is by then, or, such as `pendingTools` gives it, as it was looked at. */
export type Approval = string | Pick<PendingTool, 'name' | 'digest'>

/** What is approved is read, then written: two who do it at once would lose what one of them approves. */
const queues = new WeakMap<PinStore, Queue>()

/**
 * Knows the tools of a server again. The first list of a server is approved as it is; from then on each tool has to
 * be what it was, however the server was restarted or renamed.
 */
export class Pins {
  readonly #settings: PinSettings
  readonly #server: string
  readonly #identity: string
  readonly #log: Logger
  #pending = new Map<string, Held>()
  #instructions: string | undefined
  /** What the store has, as it was last read. */
  #approved: ApprovedTools = {}
  /** Names that the first list of the server was approved with in this run: nobody said a word about them. */
  readonly #unasked = new Set<string>()

  constructor(settings: PinSettings, server: string, identity: string, log: Logger) {
    this.#settings = settings
    this.#server = server
    this.#identity = identity
    this.#log = log
  }

  get pending(): readonly PendingTool[] {
    return [...this.#pending.values()].map(({ shown }) => shown)
  }

  /** What the server says about its use, unless that is kept back. */
  get instructions(): string | undefined {
    return this.#pending.has(instructionsName) && this.#blocks ? undefined : this.#instructions
  }

  /** Whether the name of a tool is this server's: approved before this run, or by hand. */
  vouches(tool: string): boolean {
    return Object.hasOwn(this.#approved, tool) && !this.#unasked.has(tool)
  }

  /** Reads what was approved before this run, so that it counts before the server says anything. */
  async recall(): Promise<void> {
    this.#approved = (await this.#settings.store.read(this.#identity)) ?? {}
  }

  /** Whether a tool is kept back: it may not be called either, whoever still knows it. */
  holds(tool: string): boolean {
    return this.#blocks && this.#pending.has(tool)
  }

  get #blocks(): boolean {
    return (this.#settings.onChange ?? 'block') === 'block'
  }

  /** The tools that may be offered. */
  admit(listed: readonly PinnedTool[], instructions?: string): Promise<readonly ToolDefinition[]> {
    return this.#inTurn(() => this.#admit(listed, instructions))
  }

  async #admit(
    listed: readonly PinnedTool[],
    instructions: string | undefined,
  ): Promise<readonly ToolDefinition[]> {
    this.#instructions = instructions
    const now = new Map(listed.map(({ tool, seen }) => [tool.name, seen]))
    if (instructions !== undefined) now.set(instructionsName, { instructions })
    const known = await this.#settings.store.read(this.#identity)
    const approved = known ?? (await this.#approveFirst(now))
    this.#pending = new Map()
    this.#approved = approved
    for (const [name, seen] of now) {
      const before = toolOf(approved, name)
      if (before === undefined || digestOf(before) !== digestOf(seen))
        this.#hold(name, seen, before)
    }
    this.#reportRemoved(approved, now)
    if (this.#settings.onChange === 'allow' && this.#pending.size > 0)
      await this.#add([...this.#pending])
    return listed.flatMap(({ tool }) => (this.holds(tool.name) ? [] : [tool]))
  }

  /** The first list of a server is approved as it is, unless another process was first. */
  #approveFirst(now: ReadonlyMap<string, JsonRecord>): Promise<ApprovedTools> {
    return this.#change((approved) => {
      if (approved !== undefined) return approved
      for (const name of now.keys()) this.#unasked.add(name)
      return Object.fromEntries(now)
    })
  }

  /** The first of these that is not any more what was looked at, be it approved by now. */
  otherThan(asked: readonly Approval[]): Approval | undefined {
    const now = (name: string): unknown =>
      this.#pending.get(name)?.seen ?? toolOf(this.#approved, name)
    return asked.find(
      (each) => typeof each !== 'string' && each.digest !== digestOf(now(each.name)),
    )
  }

  /** Approves what is kept back, all of it or what is asked for, as it is at the call. */
  approve(asked?: readonly Approval[]): Promise<void> {
    const names = asked?.map(nameOf)
    const chosen = [...this.#pending].filter(([name]) => names?.includes(name) ?? true)
    return this.#inTurn(() => this.#add(chosen))
  }

  async #add(chosen: readonly (readonly [string, Held])[]): Promise<void> {
    const added = Object.fromEntries(chosen.map(([name, { seen }]) => [name, seen]))
    await this.#change((approved) => ({ ...approved, ...added }))
    for (const [name, held] of chosen) {
      // It may be another by now.
      if (this.#pending.get(name)?.shown.digest === held.shown.digest) this.#pending.delete(name)
      this.#unasked.delete(name)
    }
  }

  /** Keeps back tools that the first list was approved with, for another server has their names. */
  withhold(names: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#remove(names))
  }

  async #remove(names: readonly string[]): Promise<void> {
    await this.#change((approved = {}) => {
      for (const name of names) {
        const seen = toolOf(approved, name)
        if (seen !== undefined)
          this.#pending.set(name, { shown: shownOf(name, seen, undefined), seen })
      }
      const left = Object.entries(approved).filter(([name]) => !names.includes(name))
      return Object.fromEntries(left)
    })
  }

  #hold(name: string, seen: JsonRecord, known: JsonRecord | undefined): void {
    const shown = shownOf(name, seen, known)
    this.#pending.set(name, { shown, seen })
    this.#log.warn(`mcp: a tool is ${shown.state}`, {
      server: this.#server,
      tool: name,
      differences: shown.differences,
      digest: shown.digest,
      held: this.#blocks,
    })
  }

  #reportRemoved(
    approved: Readonly<Record<string, unknown>>,
    now: ReadonlyMap<string, unknown>,
  ): void {
    const removed = Object.keys(approved).filter((name) => !now.has(name))
    if (removed.length > 0) this.#log.info('mcp: tools are gone', { server: this.#server, removed })
  }

  /** One server may be there twice, for two users, and have one list of approved tools. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const { store } = this.#settings
    const queue = queues.get(store) ?? createQueue()
    queues.set(store, queue)
    return queue(this.#identity, run)
  }

  async #change(change: Parameters<typeof changePins>[2]): Promise<ApprovedTools> {
    this.#approved = await changePins(this.#settings.store, this.#identity, change)
    return this.#approved
  }
}

function shownOf(name: string, seen: JsonRecord, known: JsonRecord | undefined): PendingTool {
  return {
    name,
    state: known === undefined ? 'new' : 'changed',
    differences: known === undefined ? [] : differences(known, seen),
    definition: definitionText(seen),
    digest: digestOf(seen),
  }
}

export function nameOf(approval: Approval): string {
  return typeof approval === 'string' ? approval : approval.name
}

/** What is wrong with the store; where it keeps its files is nobody else's matter. */
export function pinsTrouble(error: unknown): string {
  const why =
    error instanceof Error
      ? ((error as NodeJS.ErrnoException).code ?? error.message)
      : String(error)
  return `the approved tools cannot be read or written: ${why}`
}

/** A tool may have the name of what every object has. */
function toolOf(tools: ApprovedTools, name: string): JsonRecord | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}
