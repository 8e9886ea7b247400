import type { JsonSchema } from '@callgate/spec'

import { cutText } from './describe.ts'
import { isRecord, referenceOf, type References } from './references.ts'
import { modernise } from './schema-classic.ts'
import { fileSchema, isBinary } from './schema-file.ts'

/** Which words a schema is written in: the dialect of Swagger 2.0 and OpenAPI 3.0, or JSON Schema 2020-12. */
export type Dialect = 'classic' | '2020-12'

/** Where a node stands and what is done with its references. */
export interface Conversion {
  readonly dialect: Dialect
  readonly references: References
  readonly file: string
  /** Binary strings become file objects: true below the body of a multipart request. */
  readonly files: boolean
  readonly depth: number
  /** Notes that a reference is used and gives its place in `$defs`. */
  readonly refer: (reference: string, file: string) => string
}

type Node = Record<string, unknown>
type Entries = readonly (readonly [keyword: string, value: unknown])[]

const schemaKeywords = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const schemaListKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemaMapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Words that mean nothing to a validator or that the conversion uses up. */
const droppedKeywords = new Set([
  '$ref',
  'discriminator',
  'xml',
  'externalDocs',
  'example',
  'examples',
  'nullable',
  'readOnly',
  'writeOnly',
  'deprecated',
  '$id',
  '$schema',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$comment',
  '$vocabulary',
  '$defs',
  'definitions',
  'collectionFormat',
  'allowEmptyValue',
])
const maxDepth = 200
const descriptionLength = 400

/**
 * Converts one schema to JSON Schema 2020-12 (D2): references are kept and point into `$defs`, readOnly properties
 * are left out, since a tool only sends (D4).
 *
 * @throws ReferenceFault, or an Error when it is nested too deep.
 */
export function convertSchema(node: unknown, context: Conversion): JsonSchema {
  if (typeof node === 'boolean') return node
  if (!isRecord(node)) return {}
  if (context.depth > maxDepth) throw new Error(`a schema is nested deeper than ${maxDepth}`)
  if (context.files && isBinary(node)) return withDescription(fileSchema, node)
  const reference = referenceOf(node)
  const classic = context.dialect === 'classic'
  if (reference !== undefined && classic) {
    // What stands beside a $ref is ignored before 3.1; a description does no harm.
    return withDescription({ $ref: context.refer(reference, context.file) }, node)
  }
  const inner = { ...context, depth: context.depth + 1 }
  const entries = Object.entries(node)
    .filter(([keyword]) => !droppedKeywords.has(keyword) && !keyword.startsWith('x-'))
    .flatMap(([keyword, value]) => convertKeyword(keyword, value, node, inner))
  const schema = Object.fromEntries(entries)
  if (classic) return modernise(schema, node)
  return reference === undefined
    ? schema
    : { $ref: context.refer(reference, context.file), ...schema }
}

function convertKeyword(keyword: string, value: unknown, node: Node, context: Conversion): Entries {
  const convert = (item: unknown): JsonSchema => convertSchema(item, context)
  if (keyword === 'items' && Array.isArray(value)) return [['prefixItems', value.map(convert)]]
  if (schemaKeywords.has(keyword)) return [[keyword, convert(value)]]
  if (schemaListKeywords.has(keyword)) {
    return Array.isArray(value) ? [[keyword, value.map(convert)]] : []
  }
  if (schemaMapKeywords.has(keyword)) {
    if (!isRecord(value)) return []
    const kept = Object.entries(value).filter(([, item]) => !isReadOnly(item, context))
    return [[keyword, Object.fromEntries(kept.map(([name, item]) => [name, convert(item)]))]]
  }
  return plainKeyword(keyword, value, node, context)
}

/** A keyword that holds no schema. */
function plainKeyword(keyword: string, value: unknown, node: Node, context: Conversion): Entries {
  if (keyword === 'required') return requiredKeyword(value, node, context)
  if (keyword === 'description') {
    return typeof value === 'string' && value.trim() !== ''
      ? [[keyword, cutText(value, descriptionLength)]]
      : []
  }
  // A pattern in another dialect of regular expressions would make the whole tool unusable.
  if (keyword === 'pattern' && !isPattern(value)) return []
  // An empty list of values permits nothing, and validators refuse it.
  if (keyword === 'enum' && Array.isArray(value) && value.length === 0) return []
  // Tools are frozen where they are kept; the document stays its owner's.
  return [[keyword, typeof value === 'object' ? structuredClone(value) : value]]
}

function requiredKeyword(value: unknown, node: Node, context: Conversion): Entries {
  if (!Array.isArray(value)) return []
  const properties = isRecord(node['properties']) ? node['properties'] : {}
  const names = value.filter(
    (name: unknown) =>
      typeof name === 'string' &&
      !(Object.hasOwn(properties, name) && isReadOnly(properties[name], context)),
  )
  return names.length === 0 ? [] : [['required', names]]
}

/** readOnly properties are the server's to set, whether they say so themselves or what they refer to does. */
function isReadOnly(node: unknown, context: Conversion): boolean {
  if (!isRecord(node)) return false
  if (node['readOnly'] === true) return true
  if (referenceOf(node) === undefined) return false
  const { value } = context.references.follow({ value: node, file: context.file })
  return isRecord(value) && value['readOnly'] === true
}

function isPattern(value: unknown): boolean {
  try {
    return new RegExp(String(value), 'u') instanceof RegExp
  } catch {
    return false
  }
}

function withDescription(schema: JsonSchema, node: Node): JsonSchema {
  const { description } = node
  if (typeof description !== 'string' || description.trim() === '' || typeof schema === 'boolean') {
    return schema
  }
  return { ...schema, description: cutText(description, descriptionLength) }
}
