import { unescapeToken, type LoadedObject, type LoadedSchema } from './model.ts'

/** Keywords whose schemas apply to the same value, so that a ring through them alone would never end. */
const sameValue = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
] as const

/**
 * Cuts every ring of references that comes back to itself without going down into the value. As a branch of a
 * union the way back adds nothing (false), elsewhere it asks for nothing (true): `A = anyOf(A, integer)` is integer.
 */
export function breakRings(root: LoadedSchema, defs: Record<string, LoadedSchema>): void {
  const done = new Set<string>()
  /** Definitions that are being visited, with the number of unions around each. */
  const open = new Map<string, number>()

  function visitDefinition(name: string, unions: number): void {
    if (done.has(name)) return
    open.set(name, unions)
    visit(defs[name] ?? true, unions)
    open.delete(name)
    done.add(name)
  }

  function visit(schema: LoadedSchema, unions: number): void {
    if (typeof schema === 'boolean') return
    const name = schema.$ref && unescapeToken(schema.$ref.slice('#/$defs/'.length))
    const around = name === undefined ? undefined : open.get(name)
    if (around !== undefined) cut(schema, unions === around)
    else if (name !== undefined) visitDefinition(name, unions)
    for (const keyword of sameValue) {
      const more = keyword === 'anyOf' || keyword === 'oneOf' ? 1 : 0
      for (const part of partsOf(schema, keyword)) visit(part, unions + more)
    }
  }

  visit(root, 0)
  for (const name of Object.keys(defs)) visitDefinition(name, 0)
}

function cut(schema: LoadedObject, value: boolean): void {
  delete schema.$ref
  if (!value) schema.allOf = [...(schema.allOf ?? []), false]
}

function partsOf(
  schema: LoadedObject,
  keyword: (typeof sameValue)[number],
): readonly LoadedSchema[] {
  const part = schema[keyword]
  if (part === undefined || typeof part === 'boolean') return []
  if (Array.isArray(part)) return part as LoadedSchema[]
  return keyword === 'dependentSchemas'
    ? (Object.values(part as object) as LoadedSchema[])
    : [part as LoadedSchema]
}
