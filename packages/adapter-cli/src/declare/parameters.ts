import type { JsonSchema } from '@callgate/spec'

/** What the schema of a tool says about one parameter, as far as an argument needs it. */
export interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  /** The value when none is given; undefined when there is none. */
  readonly defaultValue: unknown
  /** Undefined where the schema does not say it in plain words. */
  readonly types: readonly string[] | undefined
  readonly values: readonly unknown[] | undefined
  /** Of a text, or of the items of a list. */
  readonly pattern: string | undefined
  /** Of the items of a list. */
  readonly itemTypes: readonly string[] | undefined
  readonly itemValues: readonly unknown[] | undefined
}

/** One item of a list, as a parameter of its own. */
export function itemOf({ name, pattern, itemTypes, itemValues }: Parameter): Parameter {
  return {
    name,
    isRequired: true,
    defaultValue: undefined,
    types: itemTypes,
    values: itemValues,
    pattern,
    itemTypes: undefined,
    itemValues: undefined,
  }
}

type Keywords = { readonly [keyword: string]: unknown }

/** Reads the properties of an object schema; a schema without properties gives none. */
export function parametersOf(schema: JsonSchema): ReadonlyMap<string, Parameter> {
  const { properties, required } = keywords(schema)
  const names = new Set(Array.isArray(required) ? required : [])
  const found = new Map<string, Parameter>()
  for (const [name, value] of Object.entries(keywords(properties))) {
    const own = keywords(value)
    found.set(name, {
      name,
      isRequired: names.has(name),
      defaultValue: own['default'],
      types: typesOf(own),
      values: valuesOf(own),
      pattern: patternOf(own) ?? patternOf(keywords(own['items'])),
      itemTypes: typesOf(keywords(own['items'])),
      itemValues: valuesOf(keywords(own['items'])),
    })
  }
  return found
}

function keywords(schema: unknown): Keywords {
  return typeof schema === 'object' && schema !== null ? (schema as Keywords) : {}
}

function typesOf(schema: Keywords): readonly string[] | undefined {
  const { type } = schema
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? (type as string[]) : undefined
}

function patternOf({ pattern }: Keywords): string | undefined {
  return typeof pattern === 'string' ? pattern : undefined
}

function valuesOf(schema: Keywords): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return 'const' in schema ? [schema['const']] : undefined
}
