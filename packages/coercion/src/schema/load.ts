import { isFields, pointerToken, textOf } from '../json.ts'
import type { Loading, LoadOptions } from './loading.ts'
import type { LoadedDocument } from './model.ts'
import { readSchema } from './read-schema.ts'
import { resolver } from './resolve.ts'

/**
 * Reads a schema of draft 04 to 2020-12 (chosen by `$schema`, 2020-12 without one) into one form, in bounded time:
 * references are resolved, unknown keywords dropped, OpenAPI's `nullable` written as a type.
 * What is wrong is listed in `problems`, what will not be checked in `notes`.
 */
export function loadSchema(schema: unknown, options: LoadOptions = {}): LoadedDocument {
  const loading: Loading = {
    ...options,
    resolve: resolver(schema),
    refAlone: isFields(schema) && /draft-0[3-7]/.test(textOf(schema['$schema'])),
    problems: [],
    notes: [],
    nameLists: [],
    defs: {},
    names: new Map(),
    inheritedNames: false,
    parts: 0,
    pending: [],
  }
  const root = readSchema(loading, schema, '', 0)
  const definitions = isFields(schema) && options.forShow ? schema['$defs'] : undefined
  for (const name of Object.keys(isFields(definitions) ? definitions : {})) {
    readSchema(loading, { $ref: `#/$defs${pointerToken(name)}` }, '', 0)
  }
  for (let next = loading.pending.pop(); next; next = loading.pending.pop()) next()
  // The rest is only needed while loading.
  const { defs, problems, notes, nameLists, inheritedNames } = loading
  return { root, defs, problems, notes, nameLists, inheritedNames }
}
