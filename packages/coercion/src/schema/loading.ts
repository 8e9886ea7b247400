import { NOTES } from '../limits.ts'
import type { RegExpEngine } from '../types.ts'
import type { LoadedDocument, LoadedObject, LoadedSchema, SchemaNote } from './model.ts'
import type { Resolver } from './resolve.ts'

export interface LoadOptions {
  readonly regExp?: RegExpEngine | undefined
  /** Keeps titles, descriptions and the like, and all patterns: for showing the schema to a model. */
  readonly forShow?: boolean
}

/** The state of loading one document. */
export interface Loading extends LoadOptions {
  /** What comes of it. */
  readonly document: LoadedDocument & {
    readonly defs: { [name: string]: LoadedSchema }
    readonly problems: SchemaNote[]
    readonly notes: SchemaNote[]
    readonly nameLists: string[][]
    ownProperties: boolean
    unevaluated: boolean
  }
  readonly resolve: Resolver
  /** Up to draft 07 what stands beside `$ref` is ignored. */
  readonly refAlone: boolean
  /** Raw schemas that are referenced, first by which reference, and the names they get in `defs`. */
  readonly referenced: Map<unknown, { readonly name: string; readonly reference: string }>
  parts: number
  /** Schemas with a pattern that is not run, so that it stays open what fits them. */
  readonly open: Set<unknown>
  /** Schemas with a keyword that may refuse a value because something fits it. */
  readonly nots: [schema: LoadedObject, keyword: string][]
}

/** Notes something; gives the schema that stands for what cannot be read. */
export function report(list: SchemaNote[], path: string, rule: string, message: string): true {
  if (list.length < NOTES) list.push({ path, rule, message })
  return true
}
