import type { Logger, ToolDefinition } from '@callgate/spec'

import type { JsonRecord } from '../record.ts'
import type { PinStore } from './pin-store.ts'
import { differences, digestOf } from './pin.ts'

export interface PinSettings {
  readonly store: PinStore
  /** What a tool that is new or changed leads to: `warn` logs the difference and goes on, `block` keeps the tool back until it is approved. Default `block`. */
  readonly onChange?: 'warn' | 'block'
}

/** A listed tool with the part of it that is pinned. */
export interface PinnedTool {
  readonly tool: ToolDefinition
  readonly seen: JsonRecord
}

/** A tool that is kept back. */
export interface PendingTool {
  readonly name: string
  readonly state: 'new' | 'changed'
  /** What changed, a line for each place; empty for a new tool. */
  readonly differences: readonly string[]
}

/**
 * Knows the tools of a server again. The first list of a server is approved as it is; from then on each tool has to
 * be what it was, however the server was restarted or renamed.
 */
export class Pins {
  readonly #settings: PinSettings
  readonly #server: string
  readonly #identity: string
  readonly #log: Logger
  #pending = new Map<string, PinnedTool & PendingTool>()

  constructor(settings: PinSettings, server: string, identity: string, log: Logger) {
    this.#settings = settings
    this.#server = server
    this.#identity = identity
    this.#log = log
  }

  get pending(): readonly PendingTool[] {
    return [...this.#pending.values()].map(({ name, state, differences: lines }) => ({
      name,
      state,
      differences: lines,
    }))
  }

  /** The tools that may be offered. */
  async admit(listed: readonly PinnedTool[]): Promise<readonly ToolDefinition[]> {
    const { store, onChange = 'block' } = this.#settings
    const approved = await store.read(this.#identity)
    if (approved === undefined) {
      await this.#write(Object.fromEntries(listed.map(({ tool, seen }) => [tool.name, seen])))
      return listed.map(({ tool }) => tool)
    }
    this.#pending = new Map()
    const admitted = listed.filter((each) => {
      const known = approved[each.tool.name]
      if (known !== undefined && digestOf(known) === digestOf(each.seen)) return true
      this.#hold(each, known)
      return onChange === 'warn'
    })
    this.#reportRemoved(approved, listed)
    return admitted.map(({ tool }) => tool)
  }

  /** Approves what is kept back, all of it or by name. */
  async approve(names?: readonly string[]): Promise<void> {
    const chosen = [...this.#pending.values()].filter(({ name }) => names?.includes(name) ?? true)
    const approved = (await this.#settings.store.read(this.#identity)) ?? {}
    const added = Object.fromEntries(chosen.map(({ name, seen }) => [name, seen]))
    await this.#write({ ...approved, ...added })
    for (const { name } of chosen) this.#pending.delete(name)
  }

  #hold(each: PinnedTool, known: JsonRecord | undefined): void {
    const { name } = each.tool
    const state = known === undefined ? 'new' : 'changed'
    const lines = known === undefined ? [] : differences(known, each.seen)
    this.#pending.set(name, { ...each, name, state, differences: lines })
    this.#log.warn(`mcp: a tool is ${state}`, {
      server: this.#server,
      tool: name,
      differences: lines,
      held: this.#settings.onChange !== 'warn',
    })
  }

  #reportRemoved(approved: Readonly<Record<string, unknown>>, listed: readonly PinnedTool[]): void {
    const now = new Set(listed.map(({ tool }) => tool.name))
    const removed = Object.keys(approved).filter((name) => !now.has(name))
    if (removed.length > 0) this.#log.info('mcp: tools are gone', { server: this.#server, removed })
  }

  async #write(tools: Readonly<Record<string, JsonRecord>>): Promise<void> {
    await this.#settings.store.write(this.#identity, tools)
  }
}
