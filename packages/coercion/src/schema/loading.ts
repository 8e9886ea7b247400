import type { RegExpEngine } from '../types.ts'
import type { LoadedSchema, SchemaNote } from './model.ts'
import type { Resolver } from './resolve.ts'

export interface LoadOptions {
  readonly regExp?: RegExpEngine | undefined
  /** Keeps titles, descriptions and the like, and all patterns: for showing the schema to a model. */
  readonly forShow?: boolean
}

/** The state of loading one document. */
export interface Loading extends LoadOptions {
  /** Characters of the raw document. */
  readonly size: number
  readonly resolve: Resolver
  /** Up to draft 07 what stands beside `$ref` is ignored. */
  readonly refAlone: boolean
  readonly problems: SchemaNote[]
  readonly notes: SchemaNote[]
  readonly nameLists: string[][]
  readonly defs: Record<string, LoadedSchema>
  /** Referenced raw schemas and the names they got in `defs`. */
  readonly names: Map<unknown, string>
  inheritedNames: boolean
  parts: number
  /** References that were met but not yet read. */
  readonly pending: (() => void)[]
}

/**
 * Schemas of more parts, schemas and keywords counted, are broken: their validators take longer to compile than a call
 * may. The largest of some thousand real tools count 2900.
 */
export const PARTS = 5000

/** Every part of a hostile schema may be wrong; nobody reads more than the first few. */
const NOTES = 100

/** Notes something; gives the schema that stands for what cannot be read. */
export function report(list: SchemaNote[], path: string, rule: string, message: string): true {
  if (list.length < NOTES) list.push({ path, rule, message })
  return true
}
