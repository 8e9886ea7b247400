import { isFields, shown } from '../json.ts'
import { SHOWN_MEMBERS } from '../limits.ts'
import { definitionOf, membersOf, type LoadedDocument, type LoadedSchema } from '../schema/model.ts'

/** What a schema takes, in a few words a model can act on: `integer or null`, `one of "low", "high"`. */
export function describeSchema(
  document: LoadedDocument,
  schema: LoadedSchema | undefined,
  depth = 3,
): string {
  if (typeof schema !== 'object' || depth === 0) return 'any value'
  const members = literals(schema)
  if (members) return describeMembers(members)
  const inner = (part: LoadedSchema | undefined): string =>
    describeSchema(document, part, depth - 1)
  const { $ref, oneOf, anyOf = oneOf, allOf, type, items } = schema
  if (anyOf) return [...new Set(anyOf.map(inner))].join(' or ')
  const names = type?.map((name) => (name === 'array' && items ? `array of ${inner(items)}` : name))
  return names?.join(' or ') ?? inner($ref ? definitionOf(document, $ref) : allOf?.[0])
}

/** The values that an enum, a const, or a union of nothing else allows. */
export function literals(schema: LoadedSchema): readonly unknown[] | undefined {
  if (typeof schema === 'boolean') return undefined
  const lists = (schema.anyOf ?? schema.oneOf)?.map(literals)
  return lists?.every((list) => list !== undefined) ? lists.flat() : membersOf(schema)
}

export function describeMembers(members: readonly unknown[]): string {
  const first = members.slice(0, SHOWN_MEMBERS).map(shown).join(', ')
  const text = members.length > SHOWN_MEMBERS ? `${first}, …` : first
  return members.length === 1 ? text : `one of ${text}`
}

/** What came, with its type; long values are cut. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `array of ${value.length}`
  if (isFields(value)) return `object with ${Object.keys(value).length} fields`
  return value === null || value === undefined ? String(value) : `${typeof value} ${shown(value)}`
}
