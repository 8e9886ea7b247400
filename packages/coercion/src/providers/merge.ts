import type { LoadedObject, LoadedSchema } from '../schema/model.ts'
import { canonicalJson } from '../validate/unique.ts'

type Fields = Record<string, LoadedSchema>

/** Several schemas that all apply, as one; `lost` is told the keywords that could not be united. */
export function mergeAll(
  parts: readonly LoadedObject[],
  lost: (keyword: string) => void,
): LoadedObject {
  const merged: LoadedObject = {}
  for (const part of parts) {
    const { properties, required = [], type } = part
    const united: LoadedObject = {
      ...part,
      ...merged,
      ...(properties && { properties: mergeFields(merged.properties, properties, 'allOf') }),
      ...(required.length > 0 && { required: [...(merged.required ?? []), ...required] }),
      ...(type && { type: type.filter((name) => merged.type?.includes(name) ?? true) }),
    }
    for (const [keyword, value] of Object.entries(part)) {
      if (canonicalJson(united[keyword]) === canonicalJson(value)) continue
      if (!/^(?:properties|required|type|title|description)$/.test(keyword)) lost(keyword)
    }
    Object.assign(merged, united)
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
  const merged = { ...own }
  for (const [name, schema] of Object.entries(other)) {
    const known = Object.hasOwn(own, name) ? own[name] : schema
    const same = canonicalJson(known) === canonicalJson(schema)
    merged[name] = same ? schema : { [union]: [known, schema] }
  }
  return merged
}
