import type { JsonSchema } from '@callgate/spec'

import { cutText } from './describe.ts'
import { isRecord, referenceOf, type Located, type References } from './references.ts'

/** Which words a schema is written in: the dialect of Swagger 2.0 and OpenAPI 3.0, or JSON Schema 2020-12. */
export type Dialect = 'classic' | '2020-12'

/** Turns schemas of one document into JSON Schema 2020-12 and gathers what they refer to (D2). */
export interface SchemaSource {
  /** Converts a schema; keys of what it refers to are added to `uses`. `files`: binary strings become file objects. */
  convert(node: Located, uses: Set<string>, files?: boolean): JsonSchema
  /** `$defs` of everything that is reachable from these keys. */
  definitions(uses: ReadonlySet<string>): { readonly [name: string]: JsonSchema }
}

/** How a model sends a file: text, or bytes in base64. */
export const fileSchema: JsonSchema = {
  type: 'object',
  properties: {
    content: { type: 'string', description: 'The content, as text or in base64.' },
    encoding: { enum: ['utf8', 'base64'], description: 'How content is written; default utf8.' },
    filename: { type: 'string' },
    mediaType: { type: 'string' },
  },
  required: ['content'],
  additionalProperties: false,
}

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
/** Words that mean nothing to a validator or that the conversion has used up. */
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

interface Conversion {
  readonly file: string
  readonly uses: Set<string>
  readonly files: boolean
  readonly depth: number
}

interface Definition {
  readonly name: string
  readonly schema: JsonSchema
  readonly uses: ReadonlySet<string>
}

/** Makes the source; each shared schema is converted once, when something first refers to it. */
export function createSchemaSource(references: References, dialect: Dialect): SchemaSource {
  const definitions = new Map<string, Definition>()
  const located = new Map<string, Located>()
  const nameByKey = new Map<string, string>()
  const taken = new Set<string>()

  const nameFor = (key: string): string => {
    const known = nameByKey.get(key)
    if (known !== undefined) return known
    const wish = (key.split('/').at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]+/g, '_') || 'schema'
    let name = wish
    for (let count = 2; taken.has(name); count += 1) name = `${wish}_${count}`
    taken.add(name)
    nameByKey.set(key, name)
    return name
  }

  const refer = (reference: string, context: Conversion): string => {
    const target = references.resolve(reference, context.file)
    located.set(target.key, target)
    context.uses.add(target.key)
    return `#/$defs/${nameFor(target.key)}`
  }

  const convertNode = (node: unknown, context: Conversion): JsonSchema => {
    if (typeof node === 'boolean') return node
    if (!isRecord(node)) return {}
    if (context.depth > maxDepth) throw new Error(`a schema is nested deeper than ${maxDepth}`)
    if (context.files && isBinary(node)) return withDescription(fileSchema, node)
    const reference = referenceOf(node)
    if (reference !== undefined && dialect === 'classic') {
      // What stands beside a $ref is ignored before 3.1; a description does no harm.
      return withDescription({ $ref: refer(reference, context) }, node)
    }
    const entries = convertEntries(node, { ...context, depth: context.depth + 1 })
    if (reference !== undefined) entries.unshift(['$ref', refer(reference, context)])
    return dialect === 'classic' ? modernise(entries, node) : Object.fromEntries(entries)
  }

  const convertEntries = (
    node: Record<string, unknown>,
    context: Conversion,
  ): [string, unknown][] =>
    Object.entries(node).flatMap(([keyword, value]): [string, unknown][] => {
      if (droppedKeywords.has(keyword) || keyword.startsWith('x-')) return []
      return convertKeyword(keyword, value, node, context)
    })

  const convertKeyword = (
    keyword: string,
    value: unknown,
    node: Record<string, unknown>,
    context: Conversion,
  ): [string, unknown][] => {
    if (keyword === 'items' && Array.isArray(value)) {
      return [['prefixItems', value.map((item) => convertNode(item, context))]]
    }
    if (schemaKeywords.has(keyword)) return [[keyword, convertNode(value, context)]]
    if (schemaListKeywords.has(keyword)) {
      return Array.isArray(value)
        ? [[keyword, value.map((item) => convertNode(item, context))]]
        : []
    }
    if (schemaMapKeywords.has(keyword)) {
      if (!isRecord(value)) return []
      const properties = Object.entries(value)
        .filter(([, item]) => !isReadOnly(item, context))
        .map(([name, item]) => [name, convertNode(item, context)] as const)
      return [[keyword, Object.fromEntries(properties)]]
    }
    return plainKeyword(keyword, value, node, (item) => isReadOnly(item, context))
  }

  /** readOnly properties are the server's to set; they are no part of a request (D4). */
  const isReadOnly = (node: unknown, context: Conversion): boolean => {
    const target = followed(node, context)
    return (isRecord(node) && node['readOnly'] === true) || target?.['readOnly'] === true
  }

  const followed = (node: unknown, context: Conversion): Record<string, unknown> | undefined => {
    const { value } = references.follow({ value: node, file: context.file })
    return isRecord(value) ? value : undefined
  }

  const define = (key: string): Definition => {
    const known = definitions.get(key)
    if (known) return known
    const node = located.get(key)
    const uses = new Set<string>()
    const schema = convertNode(node?.value, {
      file: node?.file ?? '',
      uses,
      files: false,
      depth: 0,
    })
    const definition = { name: nameFor(key), schema, uses }
    definitions.set(key, definition)
    return definition
  }

  return {
    convert: (node, uses, files = false) =>
      convertNode(node.value, { file: node.file, uses, files, depth: 0 }),
    definitions: (uses) => {
      const found: [string, JsonSchema][] = []
      const keys = new Set(uses)
      // A set grows while it is walked: what a definition uses is visited after it, once.
      for (const key of keys) {
        const definition = define(key)
        found.push([definition.name, definition.schema])
        for (const used of definition.uses) keys.add(used)
      }
      return Object.fromEntries(found)
    },
  }
}

/** A keyword that holds no schema. */
function plainKeyword(
  keyword: string,
  value: unknown,
  node: Record<string, unknown>,
  isReadOnly: (property: unknown) => boolean,
): [string, unknown][] {
  if (keyword === 'required') {
    if (!Array.isArray(value) || value.length === 0) return []
    const properties = isRecord(node['properties']) ? node['properties'] : {}
    return [
      [
        'required',
        value.filter(
          (name: string) =>
            !isReadOnly(Object.hasOwn(properties, name) ? properties[name] : undefined),
        ),
      ],
    ]
  }
  if (keyword === 'description') {
    return typeof value === 'string' && value !== ''
      ? [[keyword, cutText(value, descriptionLength)]]
      : []
  }
  // A pattern in another dialect of regular expressions would make the whole tool unusable.
  if (keyword === 'pattern' && !isPattern(value)) return []
  return [[keyword, value]]
}

function isPattern(value: unknown): boolean {
  try {
    new RegExp(String(value), 'u')
    return true
  } catch {
    return false
  }
}

/** A binary string: OpenAPI 3.0 `format`, 3.1 `contentMediaType`, Swagger 2.0 `type: file`. */
export function isBinary(node: Record<string, unknown>): boolean {
  if (node['type'] === 'file') return true
  if (node['type'] !== 'string') return false
  return (
    node['format'] === 'binary' ||
    (typeof node['contentMediaType'] === 'string' && node['contentEncoding'] === undefined)
  )
}

function withDescription(schema: JsonSchema, node: Record<string, unknown>): JsonSchema {
  const { description } = node
  if (typeof description !== 'string' || description === '' || typeof schema === 'boolean')
    return schema
  return { ...schema, description: cutText(description, descriptionLength) }
}

/** Words that changed between OpenAPI 3.0 and JSON Schema 2020-12: `nullable`, boolean exclusive bounds. */
function modernise(
  entries: readonly [string, unknown][],
  node: Record<string, unknown>,
): JsonSchema {
  const schema = Object.fromEntries(entries)
  exclusive(schema, 'exclusiveMinimum', 'minimum')
  exclusive(schema, 'exclusiveMaximum', 'maximum')
  if (node['nullable'] !== true && node['x-nullable'] !== true) return schema
  if (typeof schema['type'] === 'string') {
    const { enum: values } = schema
    return {
      ...schema,
      type: [schema['type'], 'null'],
      ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    }
  }
  const combined = ['allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema)
  return combined ? { anyOf: [schema, { type: 'null' }] } : schema
}

function exclusive(schema: Record<string, unknown>, keyword: string, bound: string): void {
  const flag = schema[keyword]
  if (typeof flag !== 'boolean') return
  delete schema[keyword]
  if (flag && typeof schema[bound] === 'number') {
    schema[keyword] = schema[bound]
    delete schema[bound]
  }
}
