import { keywordKinds } from '../schema/keywords.ts'
import type { LoadedObject, LoadedSchema, TypeName } from '../schema/model.ts'
import { hasEqualItems } from '../validate/unique.ts'
import { note, type Place } from './place.ts'

type Fields = Record<string, LoadedSchema>

/** Several schemas that all apply, as one; keywords that cannot be united are noted. */
export function mergeAll(place: Place, parts: readonly LoadedObject[]): LoadedObject {
  const merged: LoadedObject = {}
  for (const [keyword, value] of parts.flatMap((part) => Object.entries(part))) {
    const known = (merged[keyword] ??= value)
    if (keyword === 'properties')
      merged.properties = mergeFields(known as Fields, value as Fields, 'allOf')
    else if (keyword === 'required')
      merged.required = [...new Set([known as string[], value as string[]].flat())]
    else if (keyword === 'type') merged.type = mergeTypes(place, known, value)
    else if (keywordKinds.has(keyword) && !hasEqualItems([known, value])) note(place, keyword)
  }
  return merged
}

/** The types that both lists allow; where there is none, the first list. */
function mergeTypes(place: Place, known: unknown, other: unknown): readonly TypeName[] {
  const [own, others] = [known, other] as [readonly TypeName[], readonly TypeName[]]
  const fits = (list: readonly TypeName[], name: TypeName): boolean =>
    list.includes(name) || (name === 'integer' && list.includes('number'))
  const both = [...own, ...others].filter((name) => fits(own, name) && fits(others, name))
  if (both.length > 0) return [...new Set(both)]
  note(place, 'type')
  return own
}

/** Several schemas of which one applies: all their properties, requiring what all of them require. */
export function mergeAny(parts: readonly LoadedObject[]): LoadedObject {
  return {
    properties: parts.reduce<Fields>((all, part) => mergeFields(all, part.properties, 'anyOf'), {}),
    required: (parts[0]?.required ?? []).filter((name) =>
      parts.every((part) => part.required?.includes(name)),
    ),
  }
}

function mergeFields(own: Fields = {}, other: Fields = {}, union: 'allOf' | 'anyOf'): Fields {
  const merged = { ...own, ...other, ...own }
  for (const [name, schema] of Object.entries(other)) {
    const known = merged[name]
    if (!hasEqualItems([known, schema])) merged[name] = { [union]: [known, schema] }
  }
  return merged
}
