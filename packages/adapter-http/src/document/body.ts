import type { JsonSchema } from '@callgate/spec'

import type { HttpBody, HttpEncoding } from '../operation/backend.ts'
import { bodyKind, essence, isJson } from '../operation/media.ts'
import type { BodyKind } from '../operation/operation.ts'
import { sentCharsets, textCharset } from '../request/charset.ts'
import { isRecord, type Located, type References } from './references.ts'
import { fileSchema, isBinary } from './schema-file.ts'
import type { SchemaSource } from './schema.ts'

/** The body of an operation, ready for a tool. */
export interface ToolBody {
  readonly backend: Omit<HttpBody, 'argument'>
  readonly schema: JsonSchema
  readonly required: boolean
}

/** Reads a request body: the media type that a model can fill best, and its schema. */
export function readBody(
  body: Located | undefined,
  references: References,
  schemas: SchemaSource,
  uses: Set<string>,
): ToolBody | undefined {
  const node = body && references.follow(body)
  const content = isRecord(node?.value) ? node.value['content'] : undefined
  if (node === undefined || !isRecord(content)) return undefined
  const mediaType = Object.keys(content).toSorted((a, b) => rank(a) - rank(b))[0]
  const media = mediaType === undefined ? undefined : content[mediaType]
  if (mediaType === undefined || !isRecord(media)) return undefined
  const kind = bodyKind(mediaType)
  const schemaNode = { value: media['schema'] ?? {}, file: node.file }
  return {
    schema: bodySchema(kind, schemaNode, references, schemas, uses),
    required: isRecord(node.value) && node.value['required'] === true,
    backend: { mediaType, ...encodings(kind, media, schemaNode, references) },
  }
}

/** JSON first, patches that are objects before lists of operations, then forms, text, bytes, and last what cannot be sent. */
function rank(mediaType: string): number {
  const type = essence(mediaType)
  if (type === 'application/json' || type === '*/*') return 0
  if (type === 'application/json-patch+json') return 3
  if (isJson(type)) return type === 'application/merge-patch+json' ? 1 : 2
  const kinds: readonly BodyKind[] = ['form', 'multipart', 'text', 'binary']
  const kind = bodyKind(type)
  const canBeSent = kind !== 'text' || sentCharsets.includes(textCharset(mediaType))
  return 4 + (canBeSent ? kinds.indexOf(kind) : kinds.length)
}

function bodySchema(
  kind: BodyKind,
  node: Located,
  references: References,
  schemas: SchemaSource,
  uses: Set<string>,
): JsonSchema {
  if (kind === 'binary') return fileSchema
  if (kind === 'text') return { type: 'string', description: 'The body as text.' }
  if (kind !== 'multipart') return schemas.convert(node, uses)
  // Files are told from other fields by their schema, so the outermost reference is opened.
  return schemas.convert(references.follow(node), uses, true)
}

function encodings(
  kind: BodyKind,
  media: Record<string, unknown>,
  schema: Located,
  references: References,
): { readonly encoding?: { readonly [property: string]: HttpEncoding } } {
  if (kind !== 'form' && kind !== 'multipart') return {}
  const declared = isRecord(media['encoding']) ? media['encoding'] : {}
  const properties = propertiesOf(schema, references)
  const encoding = Object.keys({ ...properties, ...declared }).flatMap((name) => {
    const facts = {
      ...encodingFacts(declared[name]),
      ...(kind === 'multipart' && holdsFile(properties[name], references) ? { file: true } : {}),
    }
    return Object.keys(facts).length === 0 ? [] : [[name, facts] as const]
  })
  return encoding.length === 0 ? {} : { encoding: Object.fromEntries(encoding) }
}

function encodingFacts(node: unknown): HttpEncoding {
  if (!isRecord(node)) return {}
  const { contentType, style, explode, allowReserved } = node
  return {
    // Several media types are a choice of the sender; the first is taken.
    ...(typeof contentType === 'string' ? { contentType: contentType.split(',')[0] ?? '' } : {}),
    ...(typeof style === 'string' ? { style: style as NonNullable<HttpEncoding['style']> } : {}),
    ...(typeof explode === 'boolean' ? { explode } : {}),
    ...(typeof allowReserved === 'boolean' ? { allowReserved } : {}),
  }
}

/** The properties of an object and of what it is put together from, one level of `allOf` deep. */
function propertiesOf(
  schema: Located,
  references: References,
): { readonly [name: string]: Located } {
  const object = references.follow(schema)
  const all = isRecord(object.value) ? object.value['allOf'] : undefined
  const parts = (Array.isArray(all) ? (all as unknown[]) : []).map((value) =>
    references.follow({ value, file: object.file }),
  )
  return Object.fromEntries(
    [object, ...parts].flatMap(({ value, file }) => {
      const properties = isRecord(value) ? value['properties'] : undefined
      return Object.entries(isRecord(properties) ? properties : {}).map(
        ([name, property]) => [name, { value: property, file }] as const,
      )
    }),
  )
}

function holdsFile(property: Located | undefined, references: References): boolean {
  if (property === undefined) return false
  const { value, file } = references.follow(property)
  if (!isRecord(value)) return false
  if (isBinary(value)) return true
  if (value['type'] !== 'array') return false
  const items = references.follow({ value: value['items'], file }).value
  return isRecord(items) && isBinary(items)
}
