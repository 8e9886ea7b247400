import type { Loading, LoadOptions } from './loading.ts'
import { isPlainObject, pointerToken, type LoadedDocument } from './model.ts'
import { readSchema } from './read-schema.ts'
import { resolver } from './resolve.ts'
import { breakRings } from './rings.ts'

/**
 * Reads a schema of draft 04 to 2020-12 (chosen by `$schema`, 2020-12 without one) into one form, in bounded time:
 * references are resolved, rings are broken, unknown keywords dropped, OpenAPI's `nullable` written as a type.
 * What is wrong is listed in `problems`, what will not be checked in `notes`.
 */
export function loadSchema(schema: unknown, options: LoadOptions = {}): LoadedDocument {
  const loading: Loading = {
    ...options,
    resolve: resolver(schema),
    refAlone: isPlainObject(schema) && /draft-0[3-7]/.test(String(schema['$schema'])),
    problems: [],
    notes: [],
    nameLists: [],
    defs: {},
    names: new Map(),
    taken: new Set(),
    inheritedNames: false,
    parts: 0,
    pending: [],
  }
  const place = { path: '', resource: schema, depth: 0 }
  const root = readSchema(loading, schema, place)
  const definitions = isPlainObject(schema) && options.forShow ? schema['$defs'] : undefined
  for (const name of Object.keys(isPlainObject(definitions) ? definitions : {})) {
    readSchema(loading, { $ref: `#/$defs${pointerToken(name)}` }, place)
  }
  for (let next = loading.pending.pop(); next; next = loading.pending.pop()) next()
  breakRings(root, loading.defs)
  const { defs, problems, notes, nameLists, inheritedNames } = loading
  return { root, defs, problems, notes, nameLists, inheritedNames }
}
