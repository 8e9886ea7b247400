import { patternMatcher } from '../patterns/admit.ts'
import { pointerToken, type LoadedObject, type LoadedSchema } from '../schema/model.ts'
import type { Child, Plan, PlanNode } from './model.ts'
import { ANY, ARRAY, bitOf, BOOLEAN, FRACTION, INTEGER, OBJECT, STRING, typeBits } from './types.ts'

export function createNode(plan: Plan, source: LoadedSchema): PlanNode {
  const schemas: LoadedObject[] = []
  const possible = flatten(plan, source, schemas, new Set())
  const members = schemas.flatMap((schema) => (schema.type ? [] : membersOf(schema)))
  const unions = schemas.flatMap(({ anyOf, oneOf }) =>
    [anyOf, oneOf].flatMap((union) => (union ? [union.map((branch) => plan.node(branch))] : [])),
  )
  const masks = [
    ...schemas.flatMap(({ type }) => (type ? [typeBits(type)] : [])),
    ...members.map((values) => values.reduce<number>((bits, value) => bits | bitOf(value), 0)),
    ...unions.map((branches) => branches.reduce((bits, branch) => bits | branch.mask, 0)),
  ]
  return {
    plan,
    source,
    schemas,
    mask: possible ? masks.reduce((bits, more) => bits & more, ANY) : 0,
    members,
    unions,
    exact: members.length === 0 && unions.every((branches) => branches.every((b) => b.exact)),
    required: new Set(schemas.flatMap((schema) => schema.required ?? [])),
    restore: plan.restoreNames(schemas),
    conditional: schemas.some((s) => s.if !== undefined || s.dependentSchemas !== undefined),
    children: new Map(),
    entries: [],
    tuple: Math.max(0, ...schemas.map((schema) => schema.prefixItems?.length ?? 0)),
  }
}

/** False where a part is the schema false, which nothing fits. */
function flatten(
  plan: Plan,
  schema: LoadedSchema,
  into: LoadedObject[],
  seen: Set<LoadedSchema>,
): boolean {
  if (typeof schema === 'boolean' || seen.has(schema)) return schema !== false
  seen.add(schema)
  into.push(schema)
  const parts = [...(schema.$ref ? [plan.definition(schema.$ref)] : []), ...(schema.allOf ?? [])]
  return parts.reduce<boolean>((fits, part) => flatten(plan, part, into, seen) && fits, true)
}

function membersOf(schema: LoadedObject): (readonly unknown[])[] {
  const lists: (readonly unknown[])[] = schema.enum ? [schema.enum] : []
  return 'const' in schema ? [...lists, [schema.const]] : lists
}

/** What applies to the property of that name. */
export function childOf(node: PlanNode, name: string): Child {
  let child = node.children.get(name)
  if (child === undefined) {
    // The name `__proto__` cannot be looked up in a schema without meeting a prototype.
    const schemas = name === '__proto__' ? [] : propertySchemas(node, name)
    child = createChild(pointerToken(name), node.plan.nodeOfAll(schemas))
    // Names that no schema mentions are as many as a hostile model likes.
    if (node.children.size < CHILDREN) node.children.set(name, child)
  }
  return child
}

function createChild(token: string, node: PlanNode | undefined): Child {
  const mask = node?.exact ? node.mask : 0
  const scalars = mask & ~(ARRAY | OBJECT)
  const spelled = (mask & STRING) === 0 ? mask & (INTEGER | FRACTION | BOOLEAN) : 0
  return { token, node, settled: node ? scalars : ANY, spelled }
}

const CHILDREN = 1000

function propertySchemas(node: PlanNode, name: string): LoadedSchema[] {
  const found: LoadedSchema[] = []
  for (const schema of node.schemas) {
    const { properties, patternProperties, additionalProperties } = schema
    const before = found.length
    if (properties && Object.hasOwn(properties, name)) found.push(properties[name] ?? true)
    for (const [pattern, value] of Object.entries(patternProperties ?? {})) {
      if (patternMatcher(pattern, node.plan.regExp).test(name)) found.push(value)
    }
    if (found.length === before && additionalProperties) found.push(additionalProperties)
  }
  if (found.length > 0) return found
  return node.schemas.flatMap<LoadedSchema>((schema) => schema.unevaluatedProperties ?? [])
}

/** Whether the schema names this property. */
export function declares(node: PlanNode, name: string): boolean {
  return node.schemas.some(({ properties }) => properties && Object.hasOwn(properties, name))
}

/** What applies to the entry of a list at that index. */
export function entryOf(node: PlanNode, index: number): Child {
  const place = Math.min(index, node.tuple)
  return (node.entries[place] ??= createChild(
    '',
    node.plan.nodeOfAll(
      node.schemas.flatMap<LoadedSchema>(
        ({ prefixItems, items, unevaluatedItems }) =>
          prefixItems?.[place] ?? items ?? unevaluatedItems ?? [],
      ),
    ),
  ))
}
