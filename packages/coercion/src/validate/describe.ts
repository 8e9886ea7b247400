import {
  definitionOf,
  type LoadedDocument,
  type LoadedObject,
  type LoadedSchema,
} from '../schema/model.ts'

const SHOWN = 12
const TEXT = 60

/** What a schema takes, in a few words a model can act on: `integer or null`, `one of "low", "high"`. */
export function describeSchema(document: LoadedDocument, schema: LoadedSchema, depth = 3): string {
  if (schema === true || depth === 0) return 'any value'
  if (schema === false) return 'nothing'
  if (schema.enum) return describeMembers(schema.enum)
  if ('const' in schema) return valueText(schema.const)
  const union = schema.anyOf ?? schema.oneOf
  if (union) {
    const kinds = union.map((branch) => describeSchema(document, branch, depth - 1))
    return [...new Set(kinds)].slice(0, SHOWN).join(' or ')
  }
  if (schema.type)
    return schema.type.map((type) => describeType(document, schema, type, depth)).join(' or ')
  const part = schema.$ref ? definitionOf(document, schema.$ref) : schema.allOf?.[0]
  return part === undefined ? 'any value' : describeSchema(document, part, depth - 1)
}

function describeType(
  document: LoadedDocument,
  schema: LoadedObject,
  type: string,
  depth: number,
): string {
  if (type !== 'array' || typeof schema.items !== 'object') return type
  return `array of ${describeSchema(document, schema.items, depth - 1)}`
}

export function describeMembers(members: readonly unknown[]): string {
  const shown = members.slice(0, SHOWN).map(valueText).join(', ')
  const more = members.length - SHOWN
  return members.length === 1 ? shown : `one of ${shown}${more > 0 ? ` and ${more} more` : ''}`
}

/** What came, with its type; long text is cut. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `array of ${value.length}`
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value)
    const names = keys.slice(0, SHOWN).join(', ')
    return keys.length === 0
      ? 'empty object'
      : `object with ${names}${keys.length > SHOWN ? ', …' : ''}`
  }
  return value === null ? 'null' : `${typeof value} ${valueText(value)}`
}

export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  const text =
    JSON.stringify(typeof value === 'string' ? value.slice(0, TEXT + 1) : value) ?? 'nothing'
  return text.length <= TEXT + 2
    ? text
    : `${text.slice(0, TEXT)}…${text.startsWith('"') ? '"' : ''}`
}
