import {
  InvalidToolError,
  type CallContext,
  type ToolDefinition,
  type ToolId,
} from '@callgate/spec'

import type { FunctionTool } from '../define-tool.ts'
import type { Visibility } from '../policy/roles.ts'
import { createListeners, type RegistryEvent } from './listeners.ts'
import type { SearchHit } from './search-index.ts'
import {
  checkIsTool,
  functionAdapter,
  makeEntry,
  type EntrySource,
  type ToolEntry,
} from './tool-entry.ts'
import { checkIdParts, toolId } from './tool-id.ts'
import { createToolSearch, type Search, type SearchResult } from './tool-search.ts'
import { createWireNames } from './wire-names.ts'

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
  const reservedById = new Map(reserved.map((entry) => [entry.id, entry]))
  const wireNames = createWireNames(reservedById)
  const toolSearch = createToolSearch(entries, visibility)
  const listeners = createListeners(listenerFailed)

  function put(entry: ToolEntry): void {
    entries.set(entry.id, entry)
    wireNames.put(entry)
    toolSearch.put(entry)
  }

  function forget(entry: ToolEntry): void {
    entries.delete(entry.id)
    wireNames.remove(entry)
    toolSearch.remove(entry.id)
  }

  function visible(context: CallContext): readonly ToolEntry[] {
    return [...entries.values()].filter(({ definition }) => visibility.allows(definition, context))
  }

  return {
    add(tool, source) {
      checkIsTool(tool)
      checkIdParts(tool.namespace, tool.name)
      const id = toolId(tool.namespace, tool.name)
      const before = entries.get(id)
      if (before !== undefined && before.owner !== source.owner) throw duplicate(id, before.owner)
      const entry = makeEntry(tool, wireNames.choose(id), source, before?.life)
      if (isWithoutFunction(entry)) throw withoutFunction(id)
      accept(entry.definition)
      if (entry.unchecked !== undefined) notWhole(entry)
      if (before !== undefined) forget(before)
      put(entry)
      listeners.emit(before === undefined ? 'added' : 'changed', id)
      return entry
    },
    remove(id) {
      const entry = entries.get(id)
      if (entry === undefined) return
      forget(entry)
      entry.life.isOver = true
      listeners.emit('removed', id)
    },
    find: (name) => entries.get(name) ?? wireNames.find(name) ?? reservedById.get(name),
    reserved: () => reserved,
    entries: () => entries.values(),
    visible,
    seesAll: (context) =>
      visibility.seesEverything(context) && visible(context).length === entries.size,
    search: toolSearch.search,
    similar: toolSearch.similar,
    on: listeners.on,
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

function duplicate(id: ToolId, owner: string): InvalidToolError {
  return new InvalidToolError({
    rule: 'duplicate-tool',
    where: id,
    message: `There is already a tool ${id}, from ${owner}.`,
    hint: 'Give one of the two another name or namespace, or remove the first.',
  })
}
