import { typeBits } from '../plan/types.ts'
import {
  definitionOf,
  membersOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import { canonicalJson } from '../validate/unique.ts'

/** Pairs of more branches than this are not compared. */
const BRANCHES = 50

/** Whether no value fits two of the branches, as far as types, and tags that are required, can tell. */
export function areDisjoint(document: LoadedDocument, branches: readonly LoadedSchema[]): boolean {
  const parts = branches.map((branch) => partOf(document, branch))
  if (parts.length > BRANCHES) return false
  return parts.every((part, index) => parts.slice(index + 1).every((other) => isApart(part, other)))
}

function partOf(document: LoadedDocument, branch: LoadedSchema): LoadedObject {
  if (typeof branch === 'boolean') return {}
  const { $ref } = branch
  const target = $ref ? definitionOf(document, $ref) : branch
  return typeof target === 'object' ? target : {}
}

function isApart(a: LoadedObject, b: LoadedObject): boolean {
  const [values, others] = [membersOf(a), membersOf(b)]
  if (values && others) {
    const texts = others.map(canonicalJson)
    return !values.some((value) => texts.includes(canonicalJson(value)))
  }
  const bits = [a, b].map(({ type = [...typeBits.keys()] }) =>
    type.reduce((all, name) => all | (typeBits.get(name) ?? 0), 0),
  )
  if (((bits[0] ?? 0) & (bits[1] ?? 0)) === 0) return true
  const { properties = {}, required = [] } = a
  return required.some((name) => {
    const [own, other] = [properties[name], b.properties?.[name]]
    const tags = typeof own === 'object' && typeof other === 'object'
    return tags && b.required?.includes(name) === true && isApart(own, other)
  })
}
