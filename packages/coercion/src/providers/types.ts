import { keywordKinds } from '../schema/keywords.ts'
import type { LoadedObject, TypeName } from '../schema/model.ts'
import { showKeywords } from './keywords.ts'
import { anything, orNull, type Showing, type Shown } from './showing.ts'

/** Writes a schema without references: its types as the provider says them, then the other keywords. */
export function showTypes(showing: Showing, schema: LoadedObject, path: string): Shown {
  const { typeLists, nullable } = showing.profile
  const { type: types, ...rest } = schema
  if (types === undefined) {
    const says = Object.keys(rest).some((keyword) => keywordKinds.has(keyword))
    return { ...(says ? {} : anything(showing)), ...showKeywords(showing, rest, path) }
  }
  const real = types.filter((type) => type !== 'null')
  const spare = nullable && real.length > 0 && real.length < types.length
  const kept = spare ? real : types
  const [type, ...more] = kept
  const shown =
    more.length > 0 && !typeLists
      ? showKeywords(showing, splitTypes(rest, kept), path)
      : showKeywords(showing, { type: kept, ...rest }, path)
  if (more.length === 0) shown['type'] ??= type
  return spare ? orNull(showing, shown) : shown
}

const ownKeywords: { readonly [type: string]: RegExp } = {
  string: /^(?:minLength|maxLength|pattern|format)$/,
  number: /^(?:minimum|maximum|exclusive\w+|multipleOf)$/,
  array: /Items$|^items$|ontains$/i,
  object: /ropert|^required$|^dependent/,
}

/** Several types as a union, each with the keywords that are its own. A union that is there already stays alone. */
function splitTypes(schema: LoadedObject, types: readonly TypeName[]): LoadedObject {
  if (schema.anyOf ?? schema.oneOf) return schema
  const rest = new Map(Object.entries(schema))
  const branches = types.map((type): LoadedObject => {
    const own = ownKeywords[type === 'integer' ? 'number' : type]
    const entries = [...Object.entries(schema)].filter(([keyword]) => own?.test(keyword))
    for (const [keyword] of entries) rest.delete(keyword)
    return { type: [type], ...Object.fromEntries(entries) }
  })
  return { ...Object.fromEntries(rest), anyOf: branches }
}
