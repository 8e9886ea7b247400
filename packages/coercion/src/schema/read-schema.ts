import { isFields, pointerToken, shown, unescapeToken } from '../json.ts'
import { PARTS, REFERENCE_PARTS, SCHEMA_DEPTH } from '../limits.ts'
import { typeBits } from '../plan/types.ts'
import { readKeyword } from './keywords.ts'
import { report, type Loading } from './loading.ts'
import { membersOf, type LoadedObject, type LoadedSchema, type TypeName } from './model.ts'

/**
 * Reads the schema at a pointer of the raw document. null counts as absent: serialisers write it for a keyword that is
 * not set.
 */
export function readSchema(
  loading: Loading,
  raw: unknown,
  path: string,
  depth: number,
): LoadedSchema {
  // Code that is nested deeply says at each place where it is.
  loading.parts += 1 + (depth >> 4)
  if (loading.parts > PARTS) return true
  if (!isFields(raw)) return readWord(loading, raw, path)
  if (depth > SCHEMA_DEPTH) return report(loading.document.problems, path, 'size', 'is too deep')
  const reference = raw['$ref'] ?? raw['$dynamicRef'] ?? raw['$recursiveRef']
  const target = typeof reference === 'string' ? readReference(loading, reference, path, raw) : {}
  if (!target) return target
  if (reference !== undefined && loading.refAlone) return describeAlone(loading, target, raw)
  // Of true, nothing.
  const out: LoadedObject = { ...(target as LoadedObject) }
  const inner = (part: unknown, at: string): LoadedSchema =>
    readSchema(loading, part, at, depth + 1)
  const reading = { loading, raw, out, inner }
  for (const [keyword, value] of Object.entries(raw)) {
    readKeyword(keyword, value, path + pointerToken(keyword), reading)
  }
  return [raw['nullable'], raw['x-nullable']].includes(true) ? allowNull(out) : out
}

/** A reference beside which nothing counts; the model reads its description whatever the draft. */
function describeAlone(
  { forShow }: Loading,
  target: LoadedSchema,
  { description }: { readonly [keyword: string]: unknown },
): LoadedSchema {
  return forShow && description ? { ...(target as LoadedObject), description } : target
}

/** What is no object: a boolean is a schema; where it is only shown, the bare name of a type is one. */
function readWord(loading: Loading, raw: unknown, path: string): LoadedSchema {
  if (typeof (raw ?? true) === 'boolean') return raw !== false
  if (loading.forShow) return { type: [typeBits.has(raw as string) ? (raw as TypeName) : 'object'] }
  return report(loading.document.problems, path, 'schema', `${shown(raw)} is no schema`)
}

/** `{$ref}` into `defs`, or what it comes to where there is nothing to refer to. */
export function readReference(
  loading: Loading,
  reference: string,
  path: string,
  from: unknown,
): LoadedSchema {
  const { document, referenced } = loading
  loading.parts += REFERENCE_PARTS
  const schema = loading.resolve(reference, from)
  if (schema === undefined) {
    return report(document.problems, path, 'reference', `${shown(reference)} leads nowhere`)
  }
  if (schema === null) {
    return report(document.notes, path, 'remote-ref', `${shown(reference)} is not fetched`)
  }
  if (typeof schema === 'boolean') return schema
  let known = referenced.get(schema)
  if (known === undefined) {
    // The last word of the reference, since a model may read it.
    const word = unescapeToken(/[A-Za-z][\w.~-]*$/.exec(reference)?.[0] ?? 'root')
    const name = word in document.defs ? `${word}_${referenced.size}` : word
    known = { name, reference }
    referenced.set(schema, known)
    document.defs[known.name] = true
  }
  return { $ref: `#/$defs${pointerToken(known.name)}` }
}

/**
 * OpenAPI's `nullable`: null fits beside the rest, whatever `$ref` or allOf say. An enum or const without null
 * still forbids it, as OpenAPI 3.0.3 clarified.
 */
function allowNull(schema: LoadedObject): LoadedSchema {
  const { $ref, allOf, anyOf, oneOf, type } = schema
  if (membersOf(schema)?.includes(null) === false) return schema
  if ($ref ?? allOf ?? anyOf ?? oneOf) return { anyOf: [schema, { type: ['null'] }] }
  if (type) schema.type = [...new Set([...type, 'null' as const])]
  return schema
}
