import { objectsOf } from '../names/lists.ts'
import {
  membersOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import { hasEqualItems } from '../validate/unique.ts'
import { COMPARED_BRANCHES } from './limits.ts'
import { wordsOf } from './place.ts'

/** Whether no value fits two of the branches, as far as types, and tags that are required, can tell. */
export function areDisjoint(
  document: Pick<LoadedDocument, 'defs'>,
  branches: readonly LoadedSchema[],
): boolean {
  if (branches.length > COMPARED_BRANCHES) return false
  const parts = branches.map(
    (branch) => Object.assign({}, ...objectsOf(document, branch)) as LoadedObject,
  )
  return parts.every((part, index) => parts.slice(index + 1).every((other) => isApart(part, other)))
}

/** Of two parts that both list their values, or their types, without any in common, no value fits both. */
const lists: readonly ((part: LoadedObject) => readonly unknown[] | undefined)[] = [
  membersOf,
  // An integer is a number.
  ({ type }) => type?.map((name) => name.replace('number', 'integer')),
]

function isApart(a: LoadedObject, b: LoadedObject): boolean {
  const { properties = {}, required = [] } = a
  return (
    lists.some((listOf) => {
      const [own, others] = [a, b].map(listOf)
      return own && others && !hasEqualItems([own, others].flat())
    }) || required.some((name) => isApart(wordsOf(properties[name]), wordsOf(b.properties?.[name])))
  )
}
