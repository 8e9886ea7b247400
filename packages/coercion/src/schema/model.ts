import { unescapeToken } from '../json.ts'

/**
 * A schema after loading: only keywords that are understood, in the words of 2020-12, with every reference
 * rewritten to `#/$defs/<name>` of the loaded document. Made by `loadSchema`; never shared with the caller.
 */
export type LoadedSchema = boolean | LoadedObject

export interface LoadedObject {
  $ref?: string
  type?: readonly TypeName[]
  enum?: readonly unknown[]
  const?: unknown
  properties?: { [name: string]: LoadedSchema }
  patternProperties?: { [pattern: string]: LoadedSchema }
  additionalProperties?: LoadedSchema
  required?: readonly string[]
  dependentRequired?: { [name: string]: readonly string[] }
  dependentSchemas?: { [name: string]: LoadedSchema }
  prefixItems?: readonly LoadedSchema[]
  items?: LoadedSchema
  allOf?: readonly LoadedSchema[]
  anyOf?: readonly LoadedSchema[]
  oneOf?: readonly LoadedSchema[]
  if?: LoadedSchema
  then?: LoadedSchema
  else?: LoadedSchema
  /** Bounds and the rest, which only the validator reads. */
  [keyword: string]: unknown
}

export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'

/** Something about a schema that its author should know; `path` points into the schema as it was given. */
export interface SchemaNote {
  readonly path: string
  readonly rule: string
  readonly message: string
}

export interface LoadedDocument {
  readonly root: LoadedSchema
  readonly defs: { readonly [name: string]: LoadedSchema }
  /** What makes the schema broken. */
  readonly problems: readonly SchemaNote[]
  /** What is not checked although the schema asks for it. */
  readonly notes: readonly SchemaNote[]
  /** All property names, map by map, to find out whether any is shown under another name. */
  readonly nameLists: readonly (readonly string[])[]
  /** Whether a name is one that every object inherits, so that the validator must look at own properties only. */
  readonly ownProperties: boolean
  /** Whether anything is said of what no other keyword evaluates. */
  readonly unevaluated: boolean
}

/** The loaded definition that a reference leads to. */
export function definitionOf(
  document: Pick<LoadedDocument, 'defs'>,
  reference: string,
): LoadedSchema {
  return document.defs[unescapeToken(reference.slice('#/$defs/'.length))] ?? true
}

/** All schemas that apply at one place: the schema, then those of its references and allOf, and of unions on demand. */
export function partsOf(
  document: Pick<LoadedDocument, 'defs'>,
  source: LoadedSchema,
  unions: typeof unionsOf = () => [],
): readonly LoadedSchema[] {
  const schemas = new Set([source])
  // A set that grows while it is walked is walked to its end.
  for (const schema of schemas) {
    if (typeof schema === 'boolean') continue
    if (schema.$ref) schemas.add(definitionOf(document, schema.$ref))
    for (const part of [schema.allOf ?? [], ...unions(schema)].flat()) schemas.add(part)
  }
  return [...schemas]
}

/** All that can be met from a schema, the schemas among it. */
export function reachable(
  document: Pick<LoadedDocument, 'defs'>,
  schema: unknown,
): ReadonlySet<unknown> {
  const seen = new Set([schema])
  // A set that grows while it is walked is walked to its end.
  for (const part of seen) {
    if (typeof part !== 'object' || !part) continue
    const { $ref } = part as LoadedObject
    if (typeof $ref === 'string') seen.add(definitionOf(document, $ref))
    for (const inner of Object.values(part)) seen.add(inner)
  }
  return seen
}

/** The branches of each union of a schema. */
export function unionsOf({ anyOf, oneOf }: LoadedObject): readonly (readonly LoadedSchema[])[] {
  return [anyOf, oneOf].filter((union) => union !== undefined)
}

/** The values that a const or an enum allows. */
export function membersOf(schema: LoadedObject): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum
}
