import { isFields, textOf } from '../json.ts'
import { renamedNames } from '../names/rename.ts'
import { definitionOf, type LoadedDocument } from '../schema/model.ts'
import { CHARACTERS, sizeOf } from '../schema/size.ts'
import { LONG_ENUM } from './limits.ts'
import { note, takes, visitParts, type Place } from './place.ts'
import { asPlain } from './plain.ts'
import { refusedAtRoot, type Profile } from './profile.ts'

type Fields = Readonly<Record<string, unknown>>

/** What is wrong with a schema, apart from its keywords. */
const rules: { readonly [what: string]: (schema: Fields, profile: Profile) => unknown } = {
  type: ({ type, anyOf, $ref }, profile) =>
    profile.typed && (!(type ?? anyOf ?? $ref) || (type === 'null' && profile.nullable)),
  'type list': ({ type }, profile) => Array.isArray(type) && (profile.oneType || !type.length),
  items: ({ type, items }, profile) =>
    profile.typedItems && [type].flat().includes('array') && items === undefined,
  'remote $ref': ({ $ref }) => /^[^#]/.test(textOf($ref)),
  'words beside $ref': (schema, profile) =>
    profile.refAlone && '$ref' in schema && Object.keys(schema).length > 1,
  'properties beside anyOf': ({ properties, anyOf }, { unionApart }) =>
    unionApart && properties && anyOf,
  'long enum': ({ enum: members }, { longEnum = Infinity }) =>
    namesIn(members).length > LONG_ENUM && [members].flat().map(textOf).join('').length > longEnum,
  name: ({ properties }, profile) => renamedNames(namesIn(properties), profile.names).size > 0,
  'open object': (schema, profile) =>
    profile.closed &&
    ([schema['type']].flat().includes('object') || schema['properties']) &&
    (schema['additionalProperties'] !== false || (profile.typed && optionalIn(schema).length > 0)),
}

type Counts = { depth: number; [counted: string]: number }

/** What is counted in all schemas. */
const counters: { readonly [counted: string]: (schema: Fields) => readonly unknown[] } = {
  properties: ({ properties }) => namesIn(properties),
  optional: optionalIn,
  unions: ({ anyOf, type }) => [anyOf, type].filter(Array.isArray),
  enumValues: ({ enum: members }) => namesIn(members),
}

function countAll(counts: Counts, schema: Fields): void {
  for (const [what, count] of Object.entries(counters)) {
    counts[what] = (counts[what] ?? 0) + count(schema).length
  }
}

/** The limits of a profile that a schema breaks, each as a pointer and what is wrong there. */
export function brokenLimits(given: unknown, profile: Profile): string[] {
  if (sizeOf(given) > CHARACTERS) return ['/: too large']
  const start: Place = { profile, notes: [], path: '' }
  const root = asPlain(start, given)
  const top = Object(root) as Fields
  const defs = Object(top['$defs']) as LoadedDocument['defs']
  const counts: Counts = { depth: 0, characters: JSON.stringify(top).length }
  let level = 0
  // Whether a schema is being looked at.
  const open = new Map<unknown, boolean>()
  /** Whether a schema was met before; if not, what it refers to is visited. */
  const isKnown = (place: Place, schema: Fields): boolean => {
    const known = open.get(schema)
    if (known) note(place, 'recursion')
    if (known === undefined) {
      open.set(schema, true)
      visit(place, definitionOf({ defs }, textOf(schema['$ref'])))
    }
    return known !== undefined
  }
  const visit = (place: Place, schema: unknown): void => {
    if (!isFields(schema)) {
      if (schema !== true || profile.typed) note(place, 'schema')
      return
    }
    if (profile.flat && isKnown(place, schema)) return
    const broken = Object.entries(rules).filter(([, isBroken]) => isBroken(schema, profile))
    for (const [what] of broken) note(place, what)
    counts.depth = Math.max(counts.depth, level)
    countAll(counts, schema)
    for (const [keyword, value] of Object.entries(schema)) {
      if (!takes(place, keyword, value)) note(place, keyword)
      // Branches and definitions are no level of their own.
      const deeper = keyword !== 'anyOf' && keyword !== '$defs'
      if (deeper) level++
      visitParts(place, keyword, value, visit)
      if (deeper) level--
    }
    open.set(schema, false)
  }
  visit(start, root)
  if (top['type'] !== 'object') note(start, 'type')
  if (refusedAtRoot(top).length > 0) note(start, 'root union')
  for (const [name, most] of Object.entries(profile.limits ?? {})) {
    if (Number(counts[name]) > most) note(start, `more than ${most} ${name}`)
  }
  return start.notes
}

function optionalIn({ properties, required }: Fields): string[] {
  const known = new Set([required].flat())
  return namesIn(properties).filter((name) => !known.has(name))
}

function namesIn(value: unknown): string[] {
  return Object.keys(Object(value) as object)
}
