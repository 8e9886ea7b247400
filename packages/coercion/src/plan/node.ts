import { pointerToken } from '../json.ts'
import { CHILDREN } from '../limits.ts'
import { branchesOf, laidNames, objectsOf, ownNames, shownLists } from '../names/lists.ts'
import { renamedNames } from '../names/rename.ts'
import { judgePattern } from '../patterns/admit.ts'
import { profileOf, type Profile } from '../providers/profile.ts'
import {
  membersOf,
  partsOf,
  unionsOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import type { CoercionOptions } from '../types.ts'
import type { Child, Plan, PlanNode } from './model.ts'
import { ANY, bitOf, typeBits } from './types.ts'

type PlanOptions = Pick<CoercionOptions, 'provider' | 'regExp'>

/** The way through a whole document, for what a provider was shown of it. */
export function planOf(document: LoadedDocument, { regExp, provider }: PlanOptions): PlanNode {
  const profile = profileOf(provider)
  const renames = hasRenames(document, profile)
  return nodeOf({ ...document, regExp, profile, renames, nodes: new Map() }, document.root)
}

/** Whether any property is shown under another name. */
export function hasRenames({ nameLists }: LoadedDocument, profile: Profile): boolean {
  return nameLists.some((names) => renamedNames(names, profile.names).size > 0)
}

export function nodeOf(plan: Plan, source: LoadedSchema): PlanNode {
  return plan.nodes.get(source) ?? createNode(plan, source)
}

function createNode(plan: Plan, source: LoadedSchema, restore?: PlanNode['restore']): PlanNode {
  const schemas = partsOf(plan, source)
  const parts = schemas.filter((schema) => typeof schema === 'object')
  const members = parts
    .filter(({ type }) => !type)
    .map(membersOf)
    .filter((list) => list !== undefined)
  const node: PlanNode = {
    plan,
    source,
    schemas: parts,
    // What a union takes is not known while one of its branches leads back here: then it adds nothing.
    mask: 0,
    members,
    unions: [],
    exact: true,
    names: new Set(laidNames(parts)),
    required: new Set(parts.flatMap(({ required = [] }) => required)),
    restore: restore ?? restoreNames(plan, source, parts),
    children: new Map(),
    tuple: Math.max(0, ...parts.map(({ prefixItems = [] }) => prefixItems.length)),
  }
  plan.nodes.set(source, node)
  // The branches at the root are shown as one with it.
  const branchNode = (branch: LoadedSchema): PlanNode =>
    source === plan.root && typeof branch === 'object'
      ? createNode(plan, branch, node.restore)
      : nodeOf(plan, branch)
  node.unions = parts.flatMap(unionsOf).map((union) => union.map(branchNode))
  const masks = [
    ...parts.map(({ type }) =>
      type ? unite(type.map((name) => typeBits.get(name) as number)) : ANY,
    ),
    ...members.map((values) => unite(values.map(bitOf))),
    ...node.unions.map((branches) => unite(branches.map(({ mask }) => mask))),
  ]
  node.mask = schemas.includes(false) ? 0 : masks.reduce((bits, more) => bits & more, ANY)
  node.exact = members.length === 0 && node.unions.flat().every((branch) => branch.exact)
  return node
}

function unite(masks: readonly number[]): number {
  return masks.reduce((bits, more) => bits | more, 0)
}

function restoreNames(
  plan: Plan,
  source: LoadedSchema,
  parts: readonly LoadedObject[],
): PlanNode['restore'] {
  if (!plan.renames) return new Map()
  const lists =
    source === plan.root
      ? [laidNames([...parts, ...branchesOf(parts).flatMap((branch) => objectsOf(plan, branch))])]
      : shownLists(plan, source)
  return ownNames(plan, lists)
}

/** The node of several schemas that all apply; undefined where none says anything. */
function nodeOfAll(plan: Plan, schemas: readonly LoadedSchema[]): PlanNode | undefined {
  const [first, ...more] = new Set(schemas.filter((schema) => schema !== true))
  if (first === undefined) return undefined
  return more.length > 0 ? createNode(plan, { allOf: [first, ...more] }) : nodeOf(plan, first)
}

/** What applies to the property of that name, or to the entry of a list at that index. */
export function childOf(node: PlanNode, key: string | number): Child {
  const place = typeof key === 'number' ? Math.min(key, node.tuple) : key
  let child = node.children.get(place)
  if (child === undefined) {
    const schemas =
      typeof place === 'number'
        ? node.schemas.flatMap<LoadedSchema>(
            ({ prefixItems, items }) => prefixItems?.[place] ?? items ?? [],
          )
        : propertySchemas(node, place)
    child = { token: pointerToken(place), node: nodeOfAll(node.plan, schemas) }
    // Names that no schema mentions are as many as a hostile model likes.
    if (node.children.size < CHILDREN) node.children.set(place, child)
  }
  return child
}

function propertySchemas({ schemas, plan }: PlanNode, name: string): LoadedSchema[] {
  // This name cannot be looked up in a schema without meeting a prototype.
  if (name === '__proto__') return []
  return schemas.flatMap((part): LoadedSchema[] => {
    const { properties = {}, patternProperties = {}, additionalProperties } = part
    const own = Object.entries(patternProperties).flatMap(([pattern, schema]) =>
      judgePattern(pattern, plan.regExp).test(name) ? [schema] : [],
    )
    if (Object.hasOwn(properties, name)) own.push(properties[name] as LoadedSchema)
    return own.length > 0 || !additionalProperties ? own : [additionalProperties]
  })
}
