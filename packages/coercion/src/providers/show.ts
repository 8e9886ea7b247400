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

function mayOpen(
  showing: Showing,
  ref: string,
  path: string,
  opened: Set<string> | undefined,
): boolean {
  if (opened === undefined || opened.has(ref)) return true
  if (showing.open.has(ref)) {
    lose(showing, path, 'recursion')
    return false
  }
  showing.open.add(ref)
  opened.add(ref)
  return true
}

/** Writes a schema without references: null and several types as the provider says them, then the keywords. */
function showTypes(showing: Showing, schema: LoadedObject, path: string): Shown {
  const { typeLists, nullable } = showing.profile
  const typed = showing.profile.typed === 'all'
  const { anyOf, oneOf, type = typed ? impliedTypes(showing, schema, path) : [], ...rest } = schema
  const union = anyOf ?? oneOf ?? []
  const others = union.filter((branch) => !isNull(branch))
  const [only, ...more] = others
  if (nullable && others.length < union.length && !says(rest)) {
    // A longer union keeps its null where there is a type null.
    if (more.length === 0 && typeof only === 'object') {
      return orNull(showing, show(showing, { ...only, ...rest }, path))
    }
    if (typed) return orNull(showing, showTypes(showing, { ...rest, anyOf: others }, path))
  }
  const real = type.filter((name) => name !== 'null')
  if (nullable && real.length < type.length && (typed || real.length > 0)) {
    const members = schema.enum && { enum: schema.enum.filter((member) => member !== null) }
    const bare: LoadedObject = { ...schema, type: real, ...members }
    return orNull(
      showing,
      real.length > 0 ? showTypes(showing, bare, path) : anything(showing, path),
    )
  }
  if (type.length > 1 && !typeLists) {
    const split = union.length > 0 ? { ...rest, anyOf: union } : splitTypes(rest, type)
    return showKeywords(showing, split, path)
  }
  const whole = type.length > 0 ? { type, ...schema } : schema
  return { ...(says(whole) ? {} : anything(showing, path)), ...showKeywords(showing, whole, path) }
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

/** Several types as a union; what is said about values goes with each type. */
function splitTypes(schema: LoadedObject, types: readonly TypeName[]): LoadedObject {
  const facts: LoadedObject = {}
  const words: LoadedObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const part = keywordKinds.has(keyword) ? facts : words
    part[keyword] = value
  }
  return { ...words, anyOf: types.map((type) => ({ type: [type], ...facts })) }
}
