import fc from 'fast-check'

/** A schema of the kinds that tools have, as plain JSON. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
  nullable?: boolean
  multipleOf?: number
  [keyword: string]: unknown
}

export interface Case {
  readonly schema: Schema
  readonly value: unknown
}

/** Legal and illegal property names, and names that every object inherits. None is the key of an envelope. */
const names = ['a', 'b1', 'a_b', 'a~b', 'filter[id]', '城市', 'constructor', 'x y', '$top', '7']

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>(
    { type: 'string' },
    { type: 'integer' },
    { type: 'number' },
    { type: 'number', multipleOf: 0.01 },
    { type: 'boolean' },
    { type: 'null' },
    { type: ['integer', 'null'] },
    { type: ['boolean', 'integer'] },
    { type: ['string', 'null'] },
    { type: 'integer', nullable: true },
    { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    { oneOf: [{ type: 'boolean' }, { type: 'null' }] },
    { enum: ['low', 'high'] },
    { enum: [1, 2, 3] },
    { type: 'string', enum: ['true', '1', 'null'] },
    { const: 5 },
    { const: 'on' },
    { allOf: [{ type: 'integer' }, { minimum: -1e10 }] },
  ),
)

const { node } = fc.letrec<{ node: Schema }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    scalar,
    tie('node').map((items): Schema => ({ type: 'array', items })),
    fc
      .tuple(tie('node'), tie('node'))
      .map((prefixItems): Schema => ({ type: 'array', prefixItems })),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 4 }),
        required: fc.subarray(names),
        closed: fc.boolean(),
      })
      .map(({ properties, required, closed }): Schema => ({
        type: 'object',
        properties,
        required: required.filter((name) => Object.hasOwn(properties, name)),
        ...(closed ? { additionalProperties: false } : {}),
      })),
    tie('node').map((values): Schema => ({ type: 'object', additionalProperties: values })),
    fc.tuple(tie('node'), tie('node')).map(([left, right]): Schema => ({
      oneOf: [tagged('left', left), tagged('right', right)],
    })),
  ),
}))

function tagged(kind: string, value: Schema): Schema {
  const properties = { kind: { const: kind }, payload: value }
  return { type: 'object', properties, required: ['kind', 'payload'] }
}

/** A schema of one tool: an object, some of whose properties are moved behind references. */
const toolSchema: fc.Arbitrary<Schema> = fc
  .record({
    properties: fc.dictionary(fc.constantFrom(...names), node, { minKeys: 1, maxKeys: 5 }),
    required: fc.subarray(names),
    referred: fc.subarray(names),
  })
  .map(({ properties, required, referred }) => {
    const schema: Schema = { type: 'object', properties: {}, required: [], $defs: {} }
    for (const [index, [name, value]] of Object.entries(properties).entries()) {
      if (required.includes(name)) schema.required?.push(name)
      const definition = `D${index}`
      if (referred.includes(name)) schema.$defs![definition] = value
      schema.properties![name] = referred.includes(name) ? { $ref: `#/$defs/${definition}` } : value
    }
    return schema
  })

export function resolve(root: Schema, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : root.$defs![schema.$ref.slice('#/$defs/'.length)]!
}

/** Values that are valid. */
function valueOf(root: Schema, unresolved: Schema): fc.Arbitrary<unknown> {
  const schema = resolve(root, unresolved)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  const union = schema.anyOf ?? schema.oneOf
  if (union) return fc.oneof(...union.map((branch) => valueOf(root, branch)))
  if (schema.allOf) return valueOf(root, schema.allOf[0]!)
  const types = [schema.type ?? []].flat()
  const all = schema.nullable ? [...types, 'null'] : types
  return fc.oneof(...all.map((type) => typedValue(root, schema, type)))
}

const cents = fc.integer({ min: -1e9, max: 1e9 }).map((count) => count / 100 + 0)

function typedValue(root: Schema, schema: Schema, type: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return fc.oneof(fc.string(), fc.constantFrom('5', 'true', 'null', '[1]', '{"a":1}', ''))
    case 'integer':
      return fc.integer()
    case 'number':
      if (schema.multipleOf !== undefined) return cents
      return fc.oneof(
        fc.integer(),
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((number) => number + 0)
          .filter(keepsItsText),
      )
    case 'boolean':
      return fc.boolean()
    case 'array':
      return schema.prefixItems
        ? fc.tuple(...schema.prefixItems.map((entry) => valueOf(root, entry)))
        : fc.array(valueOf(root, schema.items!), { maxLength: 3 })
    case 'object':
      return objectValue(root, schema)
    default:
      return fc.constant(null)
  }
}

function objectValue(root: Schema, schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    return fc.dictionary(fc.constantFrom('k1', 'k2', 'k3'), valueOf(root, additionalProperties))
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, valueOf(root, value)]),
  )
  return fc
    .record(fields, { requiredKeys: required.filter((name) => name in fields) })
    .map((value) => ({ ...value }))
}

/** A tool's schema with arguments that are valid under it. */
export const validCase: fc.Arbitrary<Case> = toolSchema.chain((schema) =>
  valueOf(schema, schema).map((value) => ({ schema, value })),
)

/** A whole number beyond the safe range without an exponent could have been another: its text stays text. */
function keepsItsText(number: number): boolean {
  return !Number.isInteger(number) || Number.isSafeInteger(number) || String(number).includes('e')
}
