import type { RegExpEngine } from '../types.ts'
import { convertSchema } from './convert.ts'
import type { Loading } from './loading.ts'
import { isPlainObject, type LoadedDocument } from './model.ts'
import { findIdentifiers, type Identifiers } from './resolve.ts'
import { breakRings } from './rings.ts'

/**
 * Reads a schema of draft 04 to 2020-12 (chosen by `$schema`, 2020-12 without one) into one form, in bounded time:
 * references are resolved, rings are broken, unknown keywords dropped, OpenAPI's `nullable` written as a type.
 * Never throws: what is wrong is listed in `problems`, what will not be checked in `notes`.
 */
export function loadSchema(schema: unknown, regExp?: RegExpEngine): LoadedDocument {
  let identifiers: Identifiers | undefined
  const loading: Loading = {
    document: schema,
    refAlone: isPlainObject(schema) && /draft-0[3-7]/.test(String(schema['$schema'])),
    regExp,
    problems: [],
    notes: [],
    nameLists: [],
    defs: {},
    names: new Map(),
    inheritedNames: false,
    visits: 0,
    pending: [],
    identifiers: () => (identifiers ??= findIdentifiers(schema)),
    convert: (raw, place) => convertSchema(loading, raw, place),
  }
  const root = loading.convert(schema, { path: '', resource: schema, depth: 0 })
  for (let next = loading.pending.pop(); next; next = loading.pending.pop()) next()
  breakRings(root, loading.defs)
  for (const definition of Object.values(loading.defs)) {
    if (typeof definition === 'object') definition['countStep'] = true
  }
  const { defs, problems, notes, nameLists, inheritedNames } = loading
  return { root, defs, problems, notes, nameLists, inheritedNames }
}
