import {
  InvalidToolError,
  type CallContext,
  type ToolDefinition,
  type ToolId,
} from '@callgate/spec'

import type { FunctionTool } from '../define-tool.ts'
import { whenRejected } from '../pipeline/maybe.ts'
import type { Visibility } from '../policy/roles.ts'
import { createSearchIndex, type SearchHit, type SearchIndex } from './search-index.ts'
import {
  checkIsTool,
  functionAdapter,
  makeEntry,
  type EntrySource,
  type ToolEntry,
} from './tool-entry.ts'
import { toolId } from './tool-id.ts'
import { distinctWireName, foldWireName, plainWireName } from './wire-name.ts'

export type RegistryEvent = 'added' | 'changed' | 'removed'

/** The one place where tools live (R5). */
export interface Registry {
  /** Adds a tool, or replaces one of the same owner. @throws InvalidToolError */
  add(tool: ToolDefinition | FunctionTool, source: EntrySource): ToolEntry
  remove(id: ToolId): void
  /** By id or wire name. */
  find(name: string): ToolEntry | undefined
  /** The bridge tools. */
  reserved(): readonly ToolEntry[]
  /** Without the bridge tools. */
  entries(): Iterable<ToolEntry>
  visible(context: CallContext): readonly ToolEntry[]
  /** Whether a caller sees every tool there is, so that it may be told that a name is unknown (R9.1). */
  seesAll(context: CallContext): boolean
  search(queries: readonly string[], search: Search): readonly SearchResult[]
  /** The tools most like one, among those that the caller sees. */
  similar(id: ToolId, limit: number, context: CallContext): readonly SearchHit[]
  on(event: RegistryEvent, listener: (id: ToolId) => void): () => void
}

export interface Search {
  readonly limit: number
  readonly context: CallContext
  /** The only ids that may be found; undefined: all that the caller sees. */
  readonly among?: ReadonlySet<ToolId> | undefined
  /** What the session used lately. */
  readonly recent?: ReadonlySet<ToolId>
}

export interface SearchResult {
  readonly query: string
  readonly hits: readonly SearchHit[]
}

export interface RegistryOptions {
  readonly visibility: Visibility
  /** Tools that are always there and cannot be replaced; their names are reserved. */
  readonly reserved: readonly ToolEntry[]
  /** Lets the adapter of a declared tool refuse it. */
  readonly accept: (tool: ToolDefinition) => void
  /** Told of each tool whose schema is not checked in whole. */
  readonly notWhole: (tool: ToolEntry) => void
  /** Told of what a listener threw. */
  readonly listenerFailed: (error: unknown, id: ToolId) => void
}

export function createRegistry({
  visibility,
  reserved,
  accept,
  notWhole,
  listenerFailed,
}: RegistryOptions): Registry {
  const entries = new Map<ToolId, ToolEntry>()
  const byWireName = new Map<string, ToolEntry>(reserved.map((entry) => [entry.wireName, entry]))
  const taken = new Map<string, ToolId>(
    reserved.map((entry) => [foldWireName(entry.wireName), entry.id]),
  )
  const reservedIds = new Map(reserved.map((entry) => [entry.id, entry]))
  const listeners: Record<RegistryEvent, Set<(id: ToolId) => void>> = {
    added: new Set(),
    changed: new Set(),
    removed: new Set(),
  }
  // Most gateways never search, so the index is made at the first search.
  let index: SearchIndex | undefined

  const emit = (event: RegistryEvent, id: ToolId): void => {
    for (const listener of [...listeners[event]]) {
      // The tool is there, or gone, whoever fails at hearing of it.
      const failed = (error: unknown): void => listenerFailed(error, id)
      try {
        whenRejected(listener(id), failed)
      } catch (error) {
        failed(error)
      }
    }
  }
  const forget = (entry: ToolEntry): void => {
    entries.delete(entry.id)
    byWireName.delete(entry.wireName)
    taken.delete(foldWireName(entry.wireName))
    index?.remove(entry.id)
  }

  function visible(context: CallContext): readonly ToolEntry[] {
    return [...entries.values()].filter(({ definition }) => visibility.allows(definition, context))
  }

  function chooseWireName(id: ToolId): string {
    const plain = plainWireName(id)
    const holder = taken.get(foldWireName(plain))
    if (holder === undefined || holder === id) return plain
    if (reservedIds.has(holder)) throw reservedName(id, plain)
    return distinctWireName(id)
  }

  function indexed(): SearchIndex {
    if (index === undefined) {
      index = createSearchIndex()
      for (const entry of entries.values()) index.put(entry.definition, entry.id, entry.wireName)
    }
    return index
  }

  return {
    add(tool, source) {
      checkIsTool(tool)
      const id = toolId(tool.namespace, tool.name)
      const before = entries.get(id)
      if (before !== undefined && before.owner !== source.owner) throw duplicate(id, before.owner)
      const entry = makeEntry(tool, chooseWireName(id), source)
      if (isWithoutFunction(entry)) throw withoutFunction(id)
      accept(entry.definition)
      if (entry.unchecked !== undefined) notWhole(entry)
      if (before !== undefined) forget(before)
      entries.set(id, entry)
      byWireName.set(entry.wireName, entry)
      taken.set(foldWireName(entry.wireName), id)
      index?.put(entry.definition, id, entry.wireName)
      emit(before === undefined ? 'added' : 'changed', id)
      return entry
    },
    remove(id) {
      const entry = entries.get(id)
      if (entry === undefined) return
      forget(entry)
      emit('removed', id)
    },
    find: (name) => entries.get(name) ?? byWireName.get(name) ?? reservedIds.get(name),
    reserved: () => reserved,
    entries: () => entries.values(),
    visible,
    seesAll: (context) =>
      visibility.seesEverything(context) && visible(context).length === entries.size,
    search(queries, { limit, context, among, recent }) {
      const allowed = (id: ToolId): boolean =>
        visibility.allows(entries.get(id)!.definition, context) && among?.has(id) !== false
      return queries.map((query) => ({
        query,
        hits: indexed().search(query, limit, allowed, recent),
      }))
    },
    similar: (id, limit, context) =>
      indexed().similar(id, limit, (other) =>
        visibility.allows(entries.get(other)!.definition, context),
      ),
    on(event, listener) {
      listeners[event].add(listener)
      return () => listeners[event].delete(listener)
    },
  }
}

function isWithoutFunction({ definition, execute }: ToolEntry): boolean {
  return definition.backend.adapter === functionAdapter && execute === undefined
}

function withoutFunction(id: ToolId): InvalidToolError {
  return new InvalidToolError({
    rule: 'tool-backend',
    where: id,
    message: `${id} is to be run by a function, and has none.`,
    hint: 'Give the tool a function `execute`, or name another adapter.',
  })
}

function reservedName(id: ToolId, name: string): InvalidToolError {
  return new InvalidToolError({
    rule: 'reserved-name',
    where: id,
    message: `${id} would be shown to the model as "${name}", which is the name of a bridge tool.`,
    hint: 'Give the tool another name or namespace.',
  })
}

function duplicate(id: ToolId, owner: string): InvalidToolError {
  return new InvalidToolError({
    rule: 'duplicate-tool',
    where: id,
    message: `There is already a tool ${id}, from ${owner}.`,
    hint: 'Give one of the two another name or namespace, or remove the first.',
  })
}
