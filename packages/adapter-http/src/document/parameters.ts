import type { JsonSchema } from '@callgate/spec'

import type { HttpParameter, ParameterPlace } from '../operation/backend.ts'
import { isGatewayHeader } from '../request/header.ts'
import { parameterStyles, type ParameterStyle } from '../request/styles.ts'
import { cutText } from './describe.ts'
import { isRecord, type Located, type References } from './references.ts'
import type { SchemaSource } from './schema.ts'

/** A parameter of an operation, ready for a tool: what the model sees and where it goes. */
export interface ToolParameter {
  readonly backend: HttpParameter
  readonly argument: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** What the operator fills itself, by place and lower-cased name; the model does not see it. */
export type OwnParameters = ReadonlySet<string>

const places: readonly ParameterPlace[] = ['path', 'query', 'header', 'cookie']

/**
 * The parameters of an operation: its own and those of its path, each once by place and name (the operation wins).
 *
 * Parameters that only the gateway may set (D7), those the operator fills and those without a place are left out. Same-named ones of
 * different places stay apart (D4): the first in the order path, query, header, cookie keeps the name, others get
 * their place before it.
 */
export function readParameters(
  lists: readonly Located[],
  path: string,
  references: References,
  schemas: SchemaSource,
  own: OwnParameters,
  uses: Set<string>,
): readonly ToolParameter[] {
  const found = new Map<string, Located>()
  for (const list of lists) {
    for (const item of Array.isArray(list.value) ? (list.value as unknown[]) : []) {
      const node = references.follow({ value: item, file: list.file })
      if (isRecord(node.value))
        found.set(`${String(node.value['in'])} ${String(node.value['name'])}`, node)
    }
  }
  for (const { value } of found.values()) checkPlace(value as Record<string, unknown>)
  const taken = new Set<string>()
  return places
    .flatMap((place) => [...inPlace(found, place), ...undeclared(found, place, path)])
    .filter(({ value }) => isOfUse(value as Record<string, unknown>, path, own))
    .map((node) => toParameter(node, schemas, uses, taken))
}

/** @throws Error, which is the reason why the operation is no tool. */
function checkPlace(node: Record<string, unknown>): void {
  if (places.includes(node['in'] as ParameterPlace)) return
  throw new Error(`the parameter "${String(node['name'])}" has a place that is not supported`)
}

function inPlace(found: ReadonlyMap<string, Located>, place: ParameterPlace): readonly Located[] {
  return [...found].filter(([key]) => key.startsWith(`${place} `)).map(([, node]) => node)
}

/** Placeholders of the path that nothing declares: a text each. */
function undeclared(
  found: ReadonlyMap<string, Located>,
  place: ParameterPlace,
  path: string,
): readonly Located[] {
  if (place !== 'path') return []
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  return [...new Set(names)]
    .filter((name) => !found.has(`path ${name}`))
    .map((name) => ({ value: { name, in: 'path', type: 'string' }, file: '' }))
}

/** Whether the model's value would be sent: not where the operator or the gateway fills it, or the path has no place for it. */
function isOfUse(node: Record<string, unknown>, path: string, own: OwnParameters): boolean {
  const name = String(node['name'])
  if (own.has(`${String(node['in'])} ${name.toLowerCase()}`)) return false
  if (node['in'] === 'path') return path.includes(`{${name}}`)
  return node['in'] !== 'header' || !isGatewayHeader(name)
}

function toParameter(
  { value, file }: Located,
  schemas: SchemaSource,
  uses: Set<string>,
  taken: Set<string>,
): ToolParameter {
  const node = value as Record<string, unknown>
  const name = String(node['name'])
  const place = node['in'] as ParameterPlace
  const argument = freeName(name, place, taken)
  const [mediaType, content] = isRecord(node['content'])
    ? (Object.entries(node['content'])[0] ?? [])
    : []
  const schemaNode = schemaOf(node, content)
  const schema = schemas.convert({ value: schemaNode, file }, uses)
  return {
    argument,
    schema: described(schema, node['description']),
    required: place === 'path' || node['required'] === true,
    backend: {
      name,
      in: place,
      ...(argument === name ? {} : { argument }),
      ...styleOf(node, schemaNode),
      ...(node['allowReserved'] === true ? { allowReserved: true } : {}),
      ...(mediaType === undefined ? {} : { contentType: mediaType }),
    },
  }
}

/** A name that no other argument of the tool has. */
export function freeName(name: string, place: string, taken: Set<string>): string {
  let free = taken.has(name) ? `${place}_${name}` : name
  for (let count = 2; taken.has(free); count += 1) free = `${place}_${name}_${count}`
  taken.add(free)
  return free
}

/** The schema of a parameter: of its content, its own, or in Swagger 2.0 the parameter itself. */
function schemaOf(node: Record<string, unknown>, content: unknown): unknown {
  if (isRecord(content)) return content['schema'] ?? {}
  if (node['schema'] !== undefined) return node['schema']
  const { name: _name, in: _in, required: _required, description: _description, ...schema } = node
  return schema
}

function described(schema: JsonSchema, description: unknown): JsonSchema {
  if (typeof description !== 'string' || description.trim() === '' || typeof schema === 'boolean') {
    return schema
  }
  return { ...schema, description: cutText(description, 400) }
}

const collectionStyles: ReadonlyMap<string, ParameterStyle> = new Map([
  ['ssv', 'spaceDelimited'],
  ['tsv', 'tabDelimited'],
  ['pipes', 'pipeDelimited'],
])

/** `style` and `explode`, or the `collectionFormat` of Swagger 2.0, whose default is csv. */
function styleOf(
  node: Record<string, unknown>,
  schema: unknown,
): Pick<HttpParameter, 'style' | 'explode'> {
  const { style, explode, collectionFormat } = node
  if (typeof collectionFormat === 'string') {
    const delimited = collectionStyles.get(collectionFormat)
    if (delimited !== undefined) return { style: delimited, explode: false }
    return { explode: collectionFormat === 'multi' }
  }
  // Only Swagger 2.0 has no schema of its own; there a list is written as csv.
  if (schema !== node['schema'] && node['type'] === 'array') return { explode: false }
  return {
    ...(style === undefined ? {} : { style: knownStyle(style) }),
    ...(typeof explode === 'boolean' ? { explode } : {}),
  }
}

/** @throws Error, which is the reason why the operation is no tool. */
function knownStyle(style: unknown): ParameterStyle {
  const known = parameterStyles.find((name) => name === style)
  if (known !== undefined) return known
  throw new Error(`the style "${String(style)}" is not supported`)
}
