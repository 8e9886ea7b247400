import type { LoadedObject, LoadedSchema } from '../schema/model.ts'
import { canonicalJson } from '../validate/unique.ts'

/** Several schemas that all apply, as one; `lost` is told the keywords that could not be united. */
export function mergeAll(
  parts: readonly LoadedObject[],
  lost: (keyword: string) => void,
): LoadedObject {
  const [first, ...others] = parts
  const merged: LoadedObject = { ...first }
  for (const part of others) {
    for (const [keyword, value] of Object.entries(part)) {
      const known = merged[keyword]
      if (known === undefined) merged[keyword] = value
      else if (keyword === 'properties') {
        merged.properties = mergeMaps(merged.properties ?? {}, part.properties ?? {}, 'allOf')
      } else if (keyword === 'required') {
        merged.required = [...new Set([...(merged.required ?? []), ...(part.required ?? [])])]
      } else if (keyword === 'type') {
        merged.type = (merged.type ?? []).filter((type) => part.type?.includes(type))
      } else if (canonicalJson(known) !== canonicalJson(value) && !isWords(keyword)) lost(keyword)
    }
  }
  return merged
}

/** Several schemas of which one applies: all their properties, requiring what all of them require. */
export function mergeAny(parts: readonly LoadedObject[]): LoadedObject {
  const required = parts
    .map((part) => part.required ?? [])
    .reduce((names, more) => names.filter((name) => more.includes(name)))
  const properties = parts.reduce<LoadedObject['properties']>(
    (all, part) => mergeMaps(all ?? {}, part.properties ?? {}, 'anyOf'),
    {},
  )
  return { ...(properties ? { properties } : {}), required }
}

function mergeMaps(
  own: Readonly<Record<string, LoadedSchema>>,
  other: Readonly<Record<string, LoadedSchema>>,
  union: 'allOf' | 'anyOf',
): Record<string, LoadedSchema> {
  const merged = { ...own }
  for (const [name, schema] of Object.entries(other)) {
    const known = Object.hasOwn(merged, name) ? merged[name] : undefined
    const same = known === undefined || canonicalJson(known) === canonicalJson(schema)
    merged[name] = same ? schema : { [union]: [known, schema] }
  }
  return merged
}

function isWords(keyword: string): boolean {
  return keyword === 'title' || keyword === 'description'
}
