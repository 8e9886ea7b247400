import { shown } from '../json.ts'
import { definitionOf, membersOf, type LoadedDocument, type LoadedSchema } from '../schema/model.ts'

const SHOWN = 12

/** What a schema takes, in a few words a model can act on: `integer or null`, `one of "low", "high"`. */
export function describeSchema(
  document: LoadedDocument,
  schema: LoadedSchema | undefined,
  depth = 3,
): string {
  if (typeof schema !== 'object' || depth === 0) return 'any value'
  const members = membersOf(schema)
  if (members) return describeMembers(members)
  const inner = (part: LoadedSchema | undefined): string =>
    describeSchema(document, part, depth - 1)
  const union = schema.anyOf ?? schema.oneOf
  if (union) return [...new Set(union.map(inner))].join(' or ')
  if (!schema.type)
    return inner(schema.$ref ? definitionOf(document, schema.$ref) : schema.allOf?.[0])
  const types = schema.type.map((type) =>
    type === 'array' && schema.items ? `array of ${inner(schema.items)}` : type,
  )
  return types.join(' or ')
}

export function describeMembers(members: readonly unknown[]): string {
  const first = members.slice(0, SHOWN).map(shown).join(', ')
  const text = members.length > SHOWN ? `${first}, …` : first
  return members.length === 1 ? text : `one of ${text}`
}

/** What came, with its type; long values are cut. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return `${typeof value} ${shown(value)}`
  return Array.isArray(value)
    ? `array of ${value.length}`
    : `object with ${Object.keys(value).length} fields`
}
