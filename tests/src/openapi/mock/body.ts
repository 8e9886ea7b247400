import { locate, record } from '../pointer.ts'
import { nested, shaped } from './decode.ts'
import type { MockOperation } from './operations.ts'
import type { MockSchemas } from './schemas.ts'

/** A body as the server understood it. */
export interface MockBody {
  readonly value: unknown
  readonly faults: readonly string[]
}

/** Reads a body by its media type and checks it by the schema that the operation has for that. */
export async function readBody(
  mediaType: string,
  content: Buffer,
  operation: MockOperation,
  root: unknown,
  schemas: MockSchemas,
): Promise<MockBody> {
  const [essence = ''] = mediaType.split(';', 1)
  const schema = operation.bodies.get(essence) ?? operation.bodies.get('*/*')
  const fault = faultOfType(essence, schema, content, operation)
  if (fault !== undefined) return { value: undefined, faults: [fault] }
  if (essence === '') return { value: undefined, faults: [] }
  const decoded = await decodeBody(essence, mediaType, content)
  if (schema === undefined) return { value: decoded.value, faults: [] }
  const isMultipart = essence === 'multipart/form-data'
  const value = isMultipart ? shaped(decoded.value, locate(root, schema).at, root) : decoded.value
  if (value instanceof Uint8Array || hasFile(value)) return { value, faults: [] }
  const faults = schemas.faults(schema, value, decoded.isText)
  return { value, faults: faults.map((broken) => `body${broken}`) }
}

function faultOfType(
  essence: string,
  schema: string | undefined,
  content: Buffer,
  { parameters, bodies, bodyRequired }: MockOperation,
): string | undefined {
  if (essence === '') {
    if (content.length > 0) return 'a body without a type'
    return bodyRequired ? 'the body is missing' : undefined
  }
  const hasFields = parameters.some(({ in: place }) => place === 'formData')
  if (schema !== undefined || hasFields) return undefined
  return bodies.size === 0 ? 'a body is not declared' : `the type ${essence} is not declared`
}

async function decodeBody(
  essence: string,
  mediaType: string,
  content: Buffer,
): Promise<{ readonly value: unknown; readonly isText: boolean }> {
  if (/[/+]json$/.test(essence)) {
    return { value: JSON.parse(content.toString()) as unknown, isText: false }
  }
  if (essence === 'application/x-www-form-urlencoded') {
    return { value: nested([...new URLSearchParams(content.toString())]), isText: true }
  }
  if (essence === 'multipart/form-data')
    return { value: await parts(mediaType, content), isText: true }
  const isText = essence.startsWith('text/')
  return { value: isText ? content.toString() : new Uint8Array(content), isText: false }
}

/** The fields of a multipart body: text, JSON where a part says so, files by what they hold. */
async function parts(mediaType: string, content: Buffer): Promise<unknown> {
  const form = await new Response(content, { headers: { 'content-type': mediaType } }).formData()
  const values: Record<string, unknown> = {}
  for (const name of new Set(form.keys())) {
    const items = await Promise.all(form.getAll(name).map(partValue))
    values[name] = items.length === 1 ? items[0] : items
  }
  return values
}

async function partValue(part: string | File): Promise<unknown> {
  return typeof part === 'string' ? part : { file: await part.text(), name: part.name }
}

function hasFile(value: unknown): boolean {
  return Object.values(record(value))
    .flat()
    .some((item) => 'file' in record(item))
}
