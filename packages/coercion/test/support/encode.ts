import { resolve, type Schema } from './schemas.ts'

/** Says of one place after the other whether it is encoded. */
export type Choose = () => boolean

/** Whether a text could be meant as it is, so that nothing tells that it was encoded. */
function takesText(root: Schema, unresolved: Schema): boolean {
  const schema = resolve(root, unresolved)
  const members = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  if (members && schema.type === undefined) return members.some((one) => typeof one === 'string')
  const union = schema.anyOf ?? schema.oneOf
  if (union) return union.some((branch) => takesText(root, branch))
  if (schema.allOf) return schema.allOf.every((part) => takesText(root, part))
  return schema.type === undefined || [schema.type].flat().includes('string')
}

/** The value as a model may write it: any part that is not text may be JSON text, at any depth. */
export function encode(root: Schema, unresolved: Schema, value: unknown, choose: Choose): unknown {
  const schema = resolve(root, unresolved)
  const inside = encodeInside(root, schema, value, choose)
  if (typeof value === 'string' || takesText(root, schema) || !choose()) return inside
  return JSON.stringify(inside)
}

function encodeInside(root: Schema, schema: Schema, value: unknown, choose: Choose): unknown {
  return mapParts(root, schema, value, (inner, part) => encode(root, inner, part, choose))
}

/** The value with each of its parts changed, where a schema says what that is. */
function mapParts(
  root: Schema,
  schema: Schema,
  value: unknown,
  change: (schema: Schema, part: unknown) => unknown,
): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => {
      const inner = schema.prefixItems?.[index] ?? schema.items
      return inner ? change(inner, entry) : entry
    })
  }
  if (typeof value !== 'object' || value === null) return value
  const kind = (value as { kind?: unknown }).kind
  const fields =
    schema.oneOf?.find((branch) => branch.properties?.['kind']?.const === kind) ?? schema
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const { properties = {}, additionalProperties: others } = fields
      const own = Object.hasOwn(properties, name) ? properties[name] : others
      return [name, typeof own === 'object' ? change(own, entry) : entry]
    }),
  )
}

/** The value as a model may wrap it: a list inside an envelope, a list of one entry as that entry, at any depth. */
export function wrap(root: Schema, unresolved: Schema, value: unknown, choose: Choose): unknown {
  const schema = resolve(root, unresolved)
  const inside = mapParts(root, schema, value, (inner, part) => wrap(root, inner, part, choose))
  // A value of several types, or a tuple, may be meant as it is.
  if (!Array.isArray(value) || schema.type !== 'array' || !schema.items || !choose()) return inside
  const [entry] = inside as unknown[]
  return value.length === 1 && standsForList(value[0]) ? entry : { items: inside }
}

/** Lists, null, blank text and what looks like JSON are never wrapped. */
function standsForList(entry: unknown): boolean {
  if (typeof entry === 'string') return !/^\s*(?:$|[[{"]|```)/.test(entry)
  return entry !== null && !Array.isArray(entry)
}

/** The value with the names that the sanitised schema shows, whose properties stand in the same order. */
export function showNames(
  own: Schema,
  shown: Schema,
  ownRoot: Schema,
  shownRoot: Schema,
  value: unknown,
): unknown {
  const schema = resolve(ownRoot, own)
  const other = resolve(shownRoot, shown)
  if (Array.isArray(value)) {
    return value.map((entry, index) => {
      const inner = schema.prefixItems?.[index] ?? schema.items
      const shownInner = other.prefixItems?.[index] ?? other.items
      return inner && shownInner ? showNames(inner, shownInner, ownRoot, shownRoot, entry) : entry
    })
  }
  if (typeof value !== 'object' || value === null) return value
  const kind = (value as { kind?: unknown }).kind
  const branch = schema.oneOf?.findIndex((one) => one.properties?.['kind']?.const === kind) ?? -1
  if (branch >= 0) {
    return showNames(schema.oneOf![branch]!, other.oneOf![branch]!, ownRoot, shownRoot, value)
  }
  const names = Object.keys(schema.properties ?? {})
  const shownNames = Object.keys(other.properties ?? {})
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const index = names.indexOf(name)
      const inner = index < 0 ? schema.additionalProperties : schema.properties![name]
      const shownName = shownNames[index] ?? name
      const shownInner = index < 0 ? other.additionalProperties : other.properties![shownName]
      return typeof inner === 'object' && typeof shownInner === 'object'
        ? [shownName, showNames(inner, shownInner, ownRoot, shownRoot, entry)]
        : [shownName, entry]
    }),
  )
}
