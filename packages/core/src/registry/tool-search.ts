import type { CallContext, ToolId } from '@callgate/spec'

import type { Visibility } from '../policy/roles.ts'
import { createSearchIndex, type SearchHit, type SearchIndex } from './search-index.ts'
import type { ToolEntry } from './tool-entry.ts'

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

/** Finds tools by text, among those that a caller sees. */
export interface ToolSearch {
  /** To be told of every tool that comes or goes. */
  put(entry: ToolEntry): void
  remove(id: ToolId): void
  search(queries: readonly string[], search: Search): readonly SearchResult[]
  /** The tools most like one. */
  similar(id: ToolId, limit: number, context: CallContext): readonly SearchHit[]
}

export function createToolSearch(
  entries: ReadonlyMap<ToolId, ToolEntry>,
  visibility: Visibility,
): ToolSearch {
  // Most gateways never search, so the index is made at the first search.
  let index: SearchIndex | undefined

  function indexed(): SearchIndex {
    if (index === undefined) {
      index = createSearchIndex()
      for (const entry of entries.values()) index.put(entry.definition, entry.id, entry.wireName)
    }
    return index
  }

  const sees = (context: CallContext, id: ToolId): boolean =>
    visibility.allows(entries.get(id)!.definition, context)

  return {
    put: ({ definition, id, wireName }) => index?.put(definition, id, wireName),
    remove: (id) => index?.remove(id),
    search(queries, { limit, context, among, recent }) {
      const allowed = (id: ToolId): boolean => sees(context, id) && among?.has(id) !== false
      return queries.map((query) => ({
        query,
        hits: indexed().search(query, limit, allowed, recent),
      }))
    },
    similar: (id, limit, context) => indexed().similar(id, limit, (other) => sees(context, other)),
  }
}
