import { keywords } from '../schema/keywords.ts'
import type { LoadedObject, LoadedSchema, TypeName } from '../schema/model.ts'
import { canonicalJson, hasEqualItems } from '../validate/unique.ts'
import { note, type Place } from './place.ts'

/** Several schemas that all apply, as one; keywords that cannot be united are noted. */
export function mergeAll(place: Place, parts: readonly LoadedObject[]): LoadedObject {
  const merged: LoadedObject = {}
  const fields = mergeFields(
    parts.map((part) => part.properties),
    'allOf',
  )
  for (const [keyword, value] of parts.flatMap(Object.entries)) {
    const known = (merged[keyword] ??= value)
    if (keyword === 'properties') merged.properties = fields
    else if (keyword === 'required')
      merged.required = [...new Set([known as string[], value as string[]].flat())]
    else if (keyword === 'type') merged.type = mergeTypes(place, known, value)
    else if (keywords.has(keyword) && !hasEqualItems([known, value]))
      merged[keyword] = narrow(place, keyword, known, value)
  }
  // What a part says of further fields is about those of the others, too.
  const isMore = ({ properties = {}, additionalProperties: more = true }: LoadedObject): boolean =>
    more !== true && Object.keys(properties).length < Object.keys(fields).length
  if (parts.some(isMore)) note(place, 'additionalProperties beside other parts')
  return merged
}

/** The narrower of two bounds, the values that two enums share; else what came first, which is noted. */
function narrow(place: Place, keyword: string, known: unknown, other: unknown): unknown {
  const [, bound] = /^(?:exclusiveM|m)(in|ax)(?!C)/.exec(keyword) ?? []
  if (bound) return (bound === 'in' ? Math.max : Math.min)(Number(known), Number(other))
  if (keyword === 'enum') {
    const others = new Set((other as unknown[]).map(canonicalJson))
    const both = (known as unknown[]).filter((member) => others.has(canonicalJson(member)))
    if (both.length > 0) return both
  }
  note(place, keyword)
  return known
}

/** The types that both lists allow; where there is none, the first list. */
function mergeTypes(place: Place, known: unknown, other: unknown): readonly TypeName[] {
  const [own, others] = [known, other] as [readonly TypeName[], readonly TypeName[]]
  const both = [...own, ...others].filter((name) =>
    [own, others].every(
      (list) => list.includes(name) || (name === 'integer' && list.includes('number')),
    ),
  )
  if (both.length > 0) return [...new Set(both)]
  note(place, 'type')
  return own
}

/** Several schemas of which one applies: all their properties, requiring what all of them require. */
export function mergeAny(parts: readonly LoadedObject[]): LoadedObject {
  return {
    properties: mergeFields(
      parts.map((part) => part.properties),
      'anyOf',
    ),
    required: (parts[0]?.required ?? []).filter((name) =>
      parts.every((part) => part.required?.includes(name)),
    ),
  }
}

/** Each field with what all parts say of it, side by side, since the names in it are numbered in this order. */
function mergeFields(
  parts: readonly LoadedObject['properties'][],
  union: 'allOf' | 'anyOf',
): { [name: string]: LoadedSchema } {
  const found = new Map<string, LoadedSchema[]>()
  for (const [name, schema] of parts.flatMap((fields) => Object.entries(fields ?? {}))) {
    const known = found.get(name) ?? []
    known.push(schema)
    found.set(name, known)
  }
  return Object.fromEntries(
    Array.from(found, ([name, schemas]) => [name, uniteAll(schemas, union)]),
  )
}

/** Several schemas as one, without those that are there already. */
export function uniteAll(schemas: readonly LoadedSchema[], union: 'allOf' | 'anyOf'): LoadedSchema {
  if (schemas.length < 2) return schemas[0] ?? true
  // Equal texts say the same: the order of names counts, too.
  const known = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]))
  const [first = true, ...others] = known.values()
  return others.length > 0 ? { [union]: [first, ...others] } : first
}
