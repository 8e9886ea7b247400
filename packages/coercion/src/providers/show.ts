import { bitOf, typeBits } from '../plan/types.ts'
import { keywordKinds } from '../schema/keywords.ts'
import {
  definitionOf,
  membersOf,
  type LoadedObject,
  type LoadedSchema,
  type TypeName,
} from '../schema/model.ts'
import { showKeywords } from './keywords.ts'
import { mergeAll } from './merge.ts'
import { anything, lose, orNull, takes, type Showing, type Shown } from './showing.ts'

/** Writes one schema as the provider takes it; what is left out is noted in `lossy`. */
export function show(showing: Showing, schema: LoadedSchema, path: string): Shown {
  showing.left -= PART
  if (showing.left < 0) return leftOut(showing, path)
  if (typeof schema === 'boolean') {
    return schema || !takes(showing, 'not') ? anything(showing, path) : { not: {} }
  }
  // Some refuse a default beside a reference, some refuse anything.
  const { $ref, default: _default, ...beside } = schema
  if ($ref === undefined && (!schema.allOf || takes(showing, 'allOf'))) {
    return showTypes(showing, schema, path)
  }
  if ($ref !== undefined && takes(showing, '$ref')) {
    return { ...(showing.profile.refAlone ? {} : showTypes(showing, beside, path)), $ref }
  }
  const opened = new Set<string>()
  const shown = showTypes(showing, mergeParts(showing, [schema], path, opened), path)
  for (const ref of opened) showing.open.delete(ref)
  return shown
}

/** The least that a part counts for. */
const PART = 30

/** What stands for a part where enough is written: text, since that is what all take and coercion reads back. */
function leftOut(showing: Showing, path: string): Shown {
  lose(showing, path, 'too large')
  return { type: 'string', description: '(JSON text)' }
}

const PARTS = 1000

/**
 * Schemas that all apply as one; references and allOf among them are written out. Into `opened` come the references that
 * are open from now on: one that is met inside itself ends there.
 */
export function mergeParts(
  showing: Showing,
  parts: readonly LoadedSchema[],
  path: string,
  opened?: Set<string>,
): LoadedObject {
  const objects: LoadedObject[] = []
  const pending = new Set(parts)
  // A set that grows while it is walked is walked to its end.
  for (const part of pending) {
    if (typeof part === 'boolean' || objects.length > PARTS) continue
    const { $ref, allOf = [], ...own } = part
    objects.push(own)
    if ($ref && mayOpen(showing, $ref, path, opened)) {
      pending.add(definitionOf(showing.document, $ref))
    }
    for (const other of allOf) pending.add(other)
  }
  return mergeAll(objects, (keyword) => lose(showing, path, keyword))
}

/** The most references inside references that are written out. */
const OPEN = 100

function mayOpen(
  showing: Showing,
  ref: string,
  path: string,
  opened: Set<string> | undefined,
): boolean {
  if (opened === undefined || opened.has(ref)) return true
  if (showing.open.has(ref) || showing.open.size >= OPEN) {
    lose(showing, path, 'recursion')
    return false
  }
  showing.open.add(ref)
  opened.add(ref)
  return true
}

/** Writes a schema without references: null and several types as the provider says them, then the keywords. */
function showTypes(showing: Showing, schema: LoadedObject, path: string): Shown {
  const { nullable, typed, typeLists } = showing.profile
  const type = schema.type ?? (typed === 'all' ? impliedTypes(showing, schema, path) : [])
  const bare = nullable ? withoutNull(schema, type, typed === 'all') : undefined
  if (bare !== undefined) return orNull(showing, show(showing, bare, path))
  if (type.length > 1 && !typeLists) return showKeywords(showing, splitTypes(schema, type), path)
  const whole = type.length > 0 ? { type, ...schema } : schema
  return { ...(says(whole) ? {} : anything(showing, path)), ...showKeywords(showing, whole, path) }
}

/** The schema without its null; undefined where it takes none, or where only a union can say it. */
function withoutNull(
  schema: LoadedObject,
  type: readonly TypeName[],
  typed: boolean,
): LoadedSchema | undefined {
  const { anyOf, oneOf, ...rest } = schema
  const union = anyOf ?? oneOf ?? []
  const others = union.filter((branch) => !isNull(branch))
  const [only] = others
  if (others.length < union.length && !says(rest)) {
    if (others.length === 1 && typeof only === 'object') return { ...only, ...rest }
    // A longer union keeps its null where there is a type null.
    if (typed) return { ...rest, anyOf: others }
  }
  const real = type.filter((name) => name !== 'null')
  if (real.length === type.length) return undefined
  const members = schema.enum && { enum: schema.enum.filter((member) => member !== null) }
  if (real.length > 0) return { ...schema, type: real, ...members }
  return typed ? true : undefined
}

function says(schema: LoadedObject): boolean {
  return Object.keys(schema).some((keyword) => keywordKinds.has(keyword))
}

function isNull(schema: LoadedSchema): boolean {
  return typeof schema === 'object' && String(schema.type) === 'null'
}

/** The types of the values that an enum or a const allows; those that other words are about, as in a branch. */
function impliedTypes(showing: Showing, schema: LoadedObject, path: string): TypeName[] {
  const members = membersOf(schema)
  if (!members && (schema.required ?? schema.properties)) {
    lose(showing, path, 'any type')
    return ['object']
  }
  const bits = (members ?? []).map(bitOf)
  const names = bits.map((bit) => [...typeBits].find(([, own]) => (own & bit) !== 0)?.[0])
  return [...new Set(names as TypeName[])]
}

/** Several types as a union; what is said about values goes with each type. A union that is there gets the types. */
function splitTypes(schema: LoadedObject, types: readonly TypeName[]): LoadedObject {
  const { type: _type, ...untyped } = schema
  const { anyOf, oneOf, ...rest } = untyped
  const union = (anyOf ?? oneOf)?.flatMap((branch) => eachType(branch, types))
  if (union) return { ...untyped, [anyOf ? 'anyOf' : 'oneOf']: union }
  const facts: LoadedObject = {}
  const words: LoadedObject = {}
  for (const [keyword, value] of Object.entries(rest)) {
    const part = keywordKinds.has(keyword) ? facts : words
    part[keyword] = value
  }
  return { ...words, anyOf: eachType(facts, types) }
}

/** The schema for each of the types, where it does not say its own. */
function eachType(schema: LoadedSchema, types: readonly TypeName[]): LoadedSchema[] {
  const open = typeof schema === 'object' && !(schema.type ?? schema.$ref)
  return open ? types.map((type) => ({ type: [type], ...schema })) : [schema]
}
