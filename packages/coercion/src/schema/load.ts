import { isFields, pointerToken, textOf } from '../json.ts'
import { PARTS, report, type Loading, type LoadOptions } from './loading.ts'
import type { LoadedDocument, LoadedSchema, SchemaNote } from './model.ts'
import { readSchema } from './read-schema.ts'
import { resolver } from './resolve.ts'
import { sizeOf } from './size.ts'

const TOO_LARGE = `is too large: at most ${PARTS} parts are read, so split the tool`

/**
 * Reads a schema of draft 04 to 2020-12 (chosen by `$schema`, 2020-12 without one) into one form, in bounded time:
 * references are resolved, unknown keywords dropped, OpenAPI's `nullable` written as a type.
 * What is wrong is listed in `problems`, what will not be checked in `notes`.
 */
export function loadSchema(schema: unknown, options: LoadOptions = {}): LoadedDocument {
  const loading: Loading = {
    ...options,
    size: sizeOf(schema),
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
  if (loading.size === Infinity) return tooLarge(loading)
  const root = readSchema(loading, schema, '', 0)
  const definitions = isFields(schema) && options.forShow ? schema['$defs'] : undefined
  for (const name of Object.keys(isFields(definitions) ? definitions : {})) {
    readSchema(loading, { $ref: `#/$defs${pointerToken(name)}` }, '', 0)
  }
  for (let next = loading.pending.pop(); next; next = loading.pending.pop()) next()
  return loading.parts > PARTS ? tooLarge(loading) : loaded(loading, root)
}

/** Nothing of it is kept, so that nothing has to be done with much of it. */
function tooLarge(loading: Loading): LoadedDocument {
  const problems: SchemaNote[] = []
  report(problems, '', 'size', TOO_LARGE)
  return loaded({ ...loading, problems, defs: {}, nameLists: [] }, true)
}

/** The rest is only needed while loading. */
function loaded(loading: Loading, root: LoadedSchema): LoadedDocument {
  const { size, defs, problems, notes, nameLists, inheritedNames } = loading
  return { root, size, defs, problems, notes, nameLists, inheritedNames }
}
