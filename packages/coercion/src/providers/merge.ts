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
    else if (keyword === 'type')
      merged.type = (known as TypeName[]).filter((name) => (value as TypeName[]).includes(name))
    else if (keywordKinds.has(keyword) && !hasEqualItems([known, value])) note(place, keyword)
  }
  return merged
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
