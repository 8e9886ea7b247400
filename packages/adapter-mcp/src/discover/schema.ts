import { isRecord, type JsonRecord } from '../record.ts'
import { cleanJson } from '../text/clean-json.ts'
import { createResolver, type Resolver } from './resolver.ts'

const maxDepth = 100
const maxNodes = 50_000

/** A schema as the gateway can use it, and what had to be changed; or why it cannot be used. */
export type ReadSchema =
  | { readonly schema: JsonRecord; readonly notes: readonly string[] }
  | { readonly refused: string }

/** Reads the input schema of a tool: what is missing or null is filled in, what is not an object is refused. */
export function readInputSchema(raw: unknown): ReadSchema {
  if (raw === undefined || raw === null || raw === true) {
    return { schema: { type: 'object' }, notes: ['no input schema'] }
  }
  const read = readSchema(raw)
  if ('refused' in read) return read
  const type = read.schema['type']
  if (type === undefined) return { schema: { type: 'object', ...read.schema }, notes: read.notes }
  const takesObjects = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return takesObjects
    ? read
    : { refused: `the input schema is for ${JSON.stringify(type)}, not for an object` }
}

/** Any schema: bounded, cleaned, nulls and empty arrays in place of objects repaired, dangling references opened. */
export function readSchema(raw: unknown): ReadSchema {
  if (!isRecord(raw)) return { refused: 'the schema is not an object' }
  if (!isBounded(raw)) return { refused: 'the schema is too deep or too large' }
  const notes: string[] = []
  const root = cleanJson(raw) as JsonRecord
  if (root !== raw) notes.push('hidden characters removed')
  const schema = repair(root, createResolver(root), notes) as JsonRecord
  return { schema, notes: [...new Set(notes)] }
}

/** Whether a value is so shallow and small that every step behind this one can walk through it. */
export function isBounded(root: unknown): boolean {
  let nodes = 0
  const walk = (value: unknown, depth: number): boolean => {
    nodes += 1
    if (depth > maxDepth || nodes > maxNodes) return false
    if (typeof value !== 'object' || value === null) return true
    return Object.values(value).every((item) => walk(item, depth + 1))
  }
  return walk(root, 0)
}

const maps = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const data = new Set(['const', 'enum', 'default', 'examples'])

function repair(value: unknown, resolves: Resolver, notes: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => repair(item, resolves, notes))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).flatMap(([key, item]) => {
    const repaired = repairKeyword(key, item, resolves, notes)
    return repaired === undefined ? [] : [[key, repaired]]
  })
  // By entries, so that a keyword with the name of the prototype is a keyword like any other.
  return Object.fromEntries(kept)
}

function repairKeyword(key: string, item: unknown, resolves: Resolver, notes: string[]): unknown {
  if (key === 'enum' && !Array.isArray(item)) {
    notes.push('"enum" is not a list')
    return undefined
  }
  if (data.has(key)) return item
  if (key === '$ref' && !resolves(item)) {
    notes.push(`unresolvable $ref ${typeof item === 'string' ? item : 'that is no text'}`)
    return undefined
  }
  if (key === 'required' && !isTextList(item)) {
    // Draft 3 had a boolean here, and serialisers write null for an empty list.
    notes.push('"required" is not a list')
    return undefined
  }
  if (maps.has(key)) {
    if (!isRecord(item)) {
      notes.push(`"${key}" is not an object`)
      return {}
    }
    const entries = Object.entries(item).map(([name, schema]) => [
      name,
      repair(schema ?? {}, resolves, notes),
    ])
    return Object.fromEntries(entries)
  }
  if (item === null) {
    notes.push(`"${key}" is null`)
    return undefined
  }
  return repair(item, resolves, notes)
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
