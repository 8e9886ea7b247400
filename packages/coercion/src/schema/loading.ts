import type { RegExpEngine } from '../types.ts'
import type { LoadedSchema, SchemaNote } from './model.ts'
import type { Identifiers } from './resolve.ts'

/** The state of loading one document. */
export interface Loading {
  readonly document: unknown
  /** Up to draft 07 what stands beside `$ref` is ignored. */
  readonly refAlone: boolean
  readonly regExp: RegExpEngine | undefined
  readonly problems: SchemaNote[]
  readonly notes: SchemaNote[]
  readonly nameLists: string[][]
  readonly defs: Record<string, LoadedSchema>
  /** Referenced raw schemas and the names they got in `defs`. */
  readonly names: Map<unknown, string>
  inheritedNames: boolean
  visits: number
  /** References that were met but not yet converted. */
  readonly pending: (() => void)[]
  readonly identifiers: () => Identifiers
  /** Reads one schema position. */
  convert(raw: unknown, place: Place): LoadedSchema
}

/** Where loading stands: pointer into the raw document, resource of its pointers, depth. */
export interface Place {
  readonly path: string
  readonly resource: unknown
  readonly depth: number
}

/** Deeper schemas and schemas with more parts than this are broken. A megabyte of schema stays below. */
export const SCHEMA_DEPTH = 200
export const SCHEMA_PARTS = 250_000

export function problem(loading: Loading, path: string, rule: string, message: string): void {
  // Every part of a hostile schema may be wrong; nobody reads more than the first few.
  if (loading.problems.length < 100) loading.problems.push({ path, rule, message })
}
