import { pointerToken } from '../json.ts'
import { renamedNames } from '../names/rename.ts'
import { judgePattern } from '../patterns/admit.ts'
import type { NameRule } from '../providers/profile.ts'
import {
  definitionOf,
  membersOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'
import type { RegExpEngine } from '../types.ts'
import type { Child, Plan, PlanNode } from './model.ts'
import { ANY, bitOf, typeBits } from './types.ts'

export function createPlan(
  document: LoadedDocument,
  rule: NameRule,
  regExp: RegExpEngine | undefined,
): Plan {
  return {
    document,
    regExp,
    rule: isRenamed(document, rule) ? rule : undefined,
    nodes: new Map(),
  }
}

/** Whether any property is shown under another name. */
export function isRenamed({ nameLists }: LoadedDocument, rule: NameRule): boolean {
  return nameLists.some((names) => renamedNames(names, rule).size > 0)
}

export function nodeOf(plan: Plan, source: LoadedSchema): PlanNode {
  return plan.nodes.get(source) ?? createNode(plan, source)
}

function createNode(plan: Plan, source: LoadedSchema): PlanNode {
  const schemas = new Set<LoadedSchema>([source])
  // A set that grows while it is walked is walked to its end.
  for (const schema of schemas) {
    if (typeof schema === 'boolean') continue
    if (schema.$ref) schemas.add(definitionOf(plan.document, schema.$ref))
    for (const part of schema.allOf ?? []) schemas.add(part)
  }
  const parts = [...schemas].filter((schema) => typeof schema === 'object')
  const members = parts
    .flatMap((part) => (part.type ? [] : [membersOf(part)]))
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
    required: new Set(parts.flatMap((part) => part.required ?? [])),
    restore: restoreNames(parts, plan.rule),
    conditional: parts.some((part) => part.if !== undefined || part.dependentSchemas),
    children: new Map(),
    entries: [],
    tuple: Math.max(0, ...parts.map((part) => part.prefixItems?.length ?? 0)),
  }
  plan.nodes.set(source, node)
  node.unions = parts.flatMap(({ anyOf, oneOf }) =>
    [anyOf, oneOf].flatMap((union) => (union ? [union.map((branch) => nodeOf(plan, branch))] : [])),
  )
  const masks = [
    ...parts.map(({ type }) => (type ? unite(type.map((name) => typeBits.get(name) ?? 0)) : ANY)),
    ...members.map((values) => unite(values.map(bitOf))),
    ...node.unions.map((branches) => unite(branches.map((branch) => branch.mask))),
  ]
  node.mask = schemas.has(false) ? 0 : masks.reduce((bits, more) => bits & more, ANY)
  node.exact = members.length === 0 && node.unions.flat().every((branch) => branch.exact)
  return node
}

function unite(masks: readonly number[]): number {
  return masks.reduce((bits, more) => bits | more, 0)
}

function restoreNames(
  parts: readonly LoadedObject[],
  rule: NameRule | undefined,
): ReadonlyMap<string, string | null> {
  const restore = new Map<string, string | null>()
  for (const { properties = {} } of rule ? parts : []) {
    for (const [own, shown] of renamedNames(Object.keys(properties), rule)) {
      restore.set(shown, restore.has(shown) && restore.get(shown) !== own ? null : own)
    }
  }
  return restore
}

/** The node of several schemas that all apply; undefined where none says anything. */
function nodeOfAll(plan: Plan, schemas: readonly LoadedSchema[]): PlanNode | undefined {
  const [first, ...more] = new Set(schemas.filter((schema) => schema !== true))
  if (first === undefined) return undefined
  return more.length > 0 ? createNode(plan, { allOf: [first, ...more] }) : nodeOf(plan, first)
}

const CHILDREN = 1000

/** What applies to the property of that name. */
export function childOf(node: PlanNode, name: string): Child {
  let child = node.children.get(name)
  if (child === undefined) {
    // The name `__proto__` cannot be looked up in a schema without meeting a prototype.
    const schemas = name === '__proto__' ? [] : propertySchemas(node, name)
    child = { token: pointerToken(name), node: nodeOfAll(node.plan, schemas) }
    // Names that no schema mentions are as many as a hostile model likes.
    if (node.children.size < CHILDREN) node.children.set(name, child)
  }
  return child
}

/** What applies to the entry of a list at that index. */
export function entryOf(node: PlanNode, index: number): PlanNode | undefined {
  const { entries, plan, schemas, tuple } = node
  const place = Math.min(index, tuple)
  if (!(place in entries)) {
    const parts = schemas.flatMap<LoadedSchema>(
      (part) => part.prefixItems?.[place] ?? part.items ?? [],
    )
    entries[place] = nodeOfAll(plan, parts)
  }
  return entries[place]
}

function propertySchemas({ schemas, plan }: PlanNode, name: string): LoadedSchema[] {
  return schemas.flatMap((part): LoadedSchema[] => {
    const { properties = {}, patternProperties = {}, additionalProperties } = part
    const own = Object.entries(patternProperties).flatMap(([pattern, schema]) =>
      judgePattern(pattern, plan.regExp).test(name) ? [schema] : [],
    )
    if (Object.hasOwn(properties, name)) own.push(properties[name] ?? true)
    return own.length > 0 || !additionalProperties ? own : [additionalProperties]
  })
}

/** Whether the schema names this property. */
export function declares(node: PlanNode, name: string): boolean {
  return node.schemas.some(({ properties }) => properties && Object.hasOwn(properties, name))
}
