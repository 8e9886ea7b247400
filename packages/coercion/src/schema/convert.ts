import { readers } from './keywords.ts'
import { problem, SCHEMA_DEPTH, SCHEMA_PARTS, type Loading, type Place } from './loading.ts'
import {
  isPlainObject,
  pointerToken,
  shown,
  typeNames,
  type LoadedObject,
  type LoadedSchema,
} from './model.ts'
import { loadReference } from './reference.ts'
import { ownIdentifier } from './resolve.ts'

type Raw = { readonly [keyword: string]: unknown }

/** Reads one schema position. null counts as absent: serialisers write it for a keyword that is not set. */
export function convertSchema(loading: Loading, raw: unknown, place: Place): LoadedSchema {
  if (typeof raw === 'boolean') return raw
  if (raw === null || raw === undefined) return true
  if (!isPlainObject(raw)) {
    problem(loading, place.path, 'schema', `${shown(raw)} is no schema${bareTypeHint(raw)}`)
    return true
  }
  if (place.depth > SCHEMA_DEPTH || ++loading.visits > SCHEMA_PARTS) {
    problem(loading, place.path, 'size', 'The schema is nested too deeply or has too many parts')
    return true
  }
  const resource = ownIdentifier(raw) !== undefined && place.path !== '' ? raw : place.resource
  const inner: Place = { ...place, resource, depth: place.depth + 1 }
  const reference = raw['$ref'] ?? raw['$dynamicRef'] ?? raw['$recursiveRef']
  if (reference === undefined || reference === null) return readKeywords(loading, raw, inner)
  const target = loadReference(loading, reference, inner)
  if (loading.refAlone) return target
  return readKeywords(loading, raw, inner, target)
}

function readKeywords(
  loading: Loading,
  raw: Raw,
  place: Place,
  target?: LoadedSchema,
): LoadedSchema {
  const out: LoadedObject = {}
  for (const keyword of Object.keys(raw)) {
    const value = raw[keyword]
    if (value === null && keyword !== 'const') continue
    const read = readers.get(keyword)
    if (read)
      read({ loading, raw, out, keyword, value, place, at: place.path + pointerToken(keyword) })
  }
  if (target === false) return false
  if (typeof target === 'object') Object.assign(out, target)
  return raw['nullable'] === true || raw['x-nullable'] === true ? allowNull(out) : out
}

/**
 * OpenAPI's `nullable`: null fits beside the rest, whatever `$ref` or allOf say. An enum or const without null
 * still forbids it, as OpenAPI 3.0.3 clarified.
 */
function allowNull(schema: LoadedObject): LoadedSchema {
  if (schema.enum && !schema.enum.includes(null)) return schema
  if ('const' in schema && schema.const !== null) return schema
  const { $ref, allOf, anyOf, oneOf, type } = schema
  if ($ref ?? allOf ?? anyOf ?? oneOf) return { anyOf: [{ type: ['null'] }, schema] }
  if (type && !type.includes('null')) schema.type = [...type, 'null']
  return schema
}

function bareTypeHint(raw: unknown): string {
  return typeof raw === 'string' && typeNames.has(raw)
    ? `; write {"type": ${JSON.stringify(raw)}}`
    : ''
}
