import { report, type Loading } from './loading.ts'
import {
  isPlainObject,
  pointerToken,
  shown,
  typeNames,
  unescapeToken,
  type LoadedObject,
  type LoadedSchema,
  type TypeName,
} from './model.ts'
import { readKeyword } from './read-keyword.ts'
import { ownIdentifier } from './resolve.ts'

/** Where loading stands: pointer into the raw document, the resource its references start from, depth. */
interface Place {
  readonly path: string
  readonly resource: unknown
  readonly depth: number
}

/** Deeper schemas and schemas with more parts than this are broken. A megabyte of schema stays below. */
const DEPTH = 200
const PARTS = 250_000

/** Reads one schema position. null counts as absent: serialisers write it for a keyword that is not set. */
export function readSchema(loading: Loading, raw: unknown, place: Place): LoadedSchema {
  if (typeof raw === 'boolean') return raw
  if (raw === null || raw === undefined) return true
  if (!isPlainObject(raw)) {
    if (loading.forShow)
      return { type: [typeNames.has(raw as string) ? (raw as TypeName) : 'object'] }
    report(loading.problems, place.path, 'schema', `${shown(raw)} is no schema`)
    return true
  }
  if (place.depth > DEPTH || ++loading.parts > PARTS) {
    report(loading.problems, place.path, 'size', 'the schema is too deep or too large')
    return true
  }
  const resource = ownIdentifier(raw) === undefined ? place.resource : raw
  const inner = { ...place, resource, depth: place.depth + 1 }
  const reference = raw['$ref'] ?? raw['$dynamicRef'] ?? raw['$recursiveRef']
  const target = typeof reference === 'string' ? readReference(loading, reference, inner) : {}
  if (target === false || (reference !== undefined && loading.refAlone)) return target
  const out: LoadedObject = target === true ? {} : target
  for (const keyword of Object.keys(raw)) {
    const path = place.path + pointerToken(keyword)
    readKeyword({ loading, raw, keyword, value: raw[keyword], path, out }, (part, ...tokens) =>
      readSchema(loading, part, { ...inner, path: path + tokens.map(pointerToken).join('') }),
    )
  }
  return raw['nullable'] === true || raw['x-nullable'] === true ? allowNull(out) : out
}

/** `{$ref}` into `defs`, or what it comes to where there is nothing to refer to. */
function readReference(loading: Loading, reference: string, place: Place): LoadedSchema {
  const path = `${place.path}/$ref`
  const target = loading.resolve(place.resource, reference)
  if (target === undefined) {
    report(loading.problems, path, 'reference', `${shown(reference)} leads nowhere`)
    return true
  }
  if (target === 'remote') {
    report(loading.notes, path, 'remote-ref', `${shown(reference)} is not fetched and not checked`)
    return true
  }
  const { schema, resource } = target
  if (typeof schema === 'boolean') return schema
  let name = loading.names.get(schema)
  if (name === undefined) {
    name = freshName(loading, reference)
    readLater(loading, name, schema, { path: reference, resource, depth: 0 })
  }
  return { $ref: `#/$defs${pointerToken(name)}` }
}

function readLater(loading: Loading, name: string, schema: unknown, place: Place): void {
  loading.names.set(schema, name)
  loading.taken.add(name)
  loading.pending.push(() => {
    const definition = readSchema(loading, schema, place)
    if (typeof definition === 'object' && !loading.forShow) definition['countStep'] = true
    loading.defs[name] = definition
  })
}

/** The last word of the reference, since a model may read it. */
function freshName(loading: Loading, reference: string): string {
  const word = unescapeToken(/[A-Za-z][\w.~-]*$/.exec(reference)?.[0] ?? 'root')
  return loading.taken.has(word) ? `${word}_${loading.taken.size}` : word
}

/**
 * OpenAPI's `nullable`: null fits beside the rest, whatever `$ref` or allOf say. An enum or const without null
 * still forbids it, as OpenAPI 3.0.3 clarified.
 */
function allowNull(schema: LoadedObject): LoadedSchema {
  if (schema.enum && !schema.enum.includes(null)) return schema
  if ('const' in schema && schema.const !== null) return schema
  const { $ref, allOf, anyOf, oneOf, type } = schema
  if ($ref ?? allOf ?? anyOf ?? oneOf) return { anyOf: [schema, { type: ['null'] }] }
  if (type && !type.includes('null')) schema.type = [...type, 'null']
  return schema
}
