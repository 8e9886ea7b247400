import { pointerToken } from '../json.ts'
import { inPlace, keywords } from '../schema/keywords.ts'
import type { LoadedObject, LoadedSchema } from '../schema/model.ts'
import type { Profile } from './profile.ts'

/** A place in a schema that is shown or checked under the rules of a provider. */
export interface Place {
  readonly profile: Profile
  /** Pointer to the place. */
  readonly path: string
  /** What is noted about all places: what gets lost, or what is wrong. */
  readonly notes: string[]
  /** Own names to shown names of the fields of the value that the place is about, once a part of it has found them. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

/** Notes something about a place. */
export function note({ notes, path }: Pick<Place, 'notes' | 'path'>, what: string): void {
  notes.push(`${path || '/'}: ${what}`)
}

/** Whether the provider takes a keyword, with that value where one is given. */
export function takes(
  { profile }: Pick<Place, 'profile'>,
  keyword: string,
  value?: unknown,
): boolean {
  const { values = {} } = profile
  const rule = Object.hasOwn(values, keyword) && values[keyword]
  return (
    profile.keywords?.split(' ').includes(keyword) !== false &&
    (!rule || [value].flat().every((one) => rule.test(JSON.stringify(one))))
  )
}

/** What a schema says in words, also where it is a boolean, or there is none. */
export function wordsOf(schema: LoadedSchema | undefined): LoadedObject {
  return schema === false ? { not: {} } : (Object(schema) as LoadedObject)
}

/**
 * Visits the schemas that a keyword holds; gives what the visits gave, in the same arrangement, and undefined for a
 * keyword that holds none to visit, such as `additionalProperties: false`.
 */
export function visitParts<P extends Place, Part>(
  place: P,
  keyword: string,
  value: unknown,
  visit: (place: P, part: Part) => unknown,
): unknown {
  const [, kind] = keywords.get(keyword) ?? []
  const path = place.path + pointerToken(keyword)
  const names = inPlace.test(keyword) ? place.names : undefined
  // What the entries of a list are may have to be said in other words.
  const isSaid = typeof value === 'boolean' && !/^(?:additionalI|i)tems$/.test(keyword)
  if (kind === 'schema' && !isSaid) return visit({ ...place, path, names }, value as Part)
  if (kind !== 'schemas') return undefined
  const parts = Object.entries(Object(value) as Record<string, Part>).map(
    ([name, part]) =>
      [name, visit({ ...place, path: path + pointerToken(name), names }, part)] as const,
  )
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
}
