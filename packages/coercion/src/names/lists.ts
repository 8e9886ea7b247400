import { takes, type Place } from '../providers/place.ts'
import { keywords } from '../schema/keywords.ts'
import {
  definitionOf,
  partsOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import { hasEqualItems } from '../validate/unique.ts'
import { renamedNames } from './rename.ts'

type Definitions = Pick<LoadedDocument, 'defs'>

/** Of all schemas that apply at one place those that say something in words. */
export function objectsOf(document: Definitions, source: LoadedSchema): LoadedObject[] {
  return partsOf(document, source).filter((schema) => typeof schema === 'object')
}

/** The branches of the unions in some parts, of each kind of union the first, as the others are not shown. */
export function branchesOf(parts: readonly LoadedObject[]): LoadedSchema[] {
  return (['anyOf', 'oneOf'] as const).flatMap(
    (kind) => parts.find((part) => part[kind])?.[kind] ?? [],
  )
}

/** Whether the parts of a schema are shown as one, since the provider takes no such word, or not beside others. */
export function isLaid(place: Definitions & Pick<Place, 'profile'>, schema: LoadedObject): boolean {
  const composed = schema.$ref ? '$ref' : 'allOf'
  return composed in schema && (!takes(place, composed) || lostBeside(place, schema).length > 0)
}

/** The keywords that refuse something beside a reference that must stand alone, and are not said where it leads. */
export function lostBeside(
  place: Definitions & Pick<Place, 'profile'>,
  { $ref, ...beside }: LoadedObject,
): string[] {
  if (!$ref || !place.profile.refAlone) return []
  const target = Object(definitionOf(place, $ref)) as LoadedObject
  return Object.keys(beside).filter(
    (keyword) => keywords.has(keyword) && !hasEqualItems([beside[keyword], target[keyword]]),
  )
}

/** The names at one place, in lists that are shown each for itself. */
export function shownLists(
  place: Definitions & Pick<Place, 'profile'>,
  source: LoadedSchema,
): readonly (readonly string[])[] {
  const parts = objectsOf(place, source)
  return isLaid(place, Object(source) as LoadedObject)
    ? [laidNames(parts)]
    : parts.map((part) => laidNames([part]))
}

/** The names of parts that are shown as one, in the order in which they are shown. */
export function laidNames(parts: readonly LoadedObject[]): readonly string[] {
  return Object.keys(Object.assign({}, ...parts.map(({ properties }) => properties)) as object)
}

/** Shown names to own names where they differ, of lists that are shown each for itself; null where two are shown as one. */
export function ownNames(
  { profile }: Pick<Place, 'profile'>,
  lists: readonly (readonly string[])[],
): ReadonlyMap<string, string | null> {
  const own = new Map<string, string | null>()
  for (const names of lists) {
    const renamed = renamedNames(names, profile.names)
    for (const name of names) {
      const shown = renamed.get(name) ?? name
      const known = own.get(shown)
      own.set(shown, known === undefined || known === name ? name : null)
    }
  }
  return new Map([...own].filter(([shown, name]) => shown !== name))
}
