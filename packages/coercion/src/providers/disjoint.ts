import {
  definitionOf,
  membersOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import { canonicalJson } from '../validate/unique.ts'
import { wordsOf } from './place.ts'

/** Pairs of more branches than this are not compared. */
const BRANCHES = 50

/** Whether no value fits two of the branches, as far as types, and tags that are required, can tell. */
export function areDisjoint(
  document: Pick<LoadedDocument, 'defs'>,
  branches: readonly LoadedSchema[],
): boolean {
  const parts = branches.map((branch) => wordsOf(partOf(document, branch)))
  if (parts.length > BRANCHES) return false
  return parts.every((part, index) => parts.slice(index + 1).every((other) => isApart(part, other)))
}

function partOf(document: Pick<LoadedDocument, 'defs'>, branch: LoadedSchema): LoadedSchema {
  return typeof branch === 'object' && branch.$ref ? definitionOf(document, branch.$ref) : branch
}

function isApart(a: LoadedObject, b: LoadedObject): boolean {
  const { properties = {}, required = [] } = a
  return (
    differ(valuesOf(a), valuesOf(b)) ||
    differ(typesOf(a), typesOf(b)) ||
    required.some((name) => isApart(wordsOf(properties[name]), wordsOf(b.properties?.[name])))
  )
}

function differ(
  list: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean {
  const others = new Set(other)
  return list !== undefined && other !== undefined && !list.some((one) => others.has(one))
}

function valuesOf(schema: LoadedObject): string[] | undefined {
  return membersOf(schema)?.map(canonicalJson)
}

/** An integer is a number. */
function typesOf({ type }: LoadedObject): string[] | undefined {
  return type?.map((name) => name.replace('number', 'integer'))
}
