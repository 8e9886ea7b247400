import { CallgateError, type JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkSchema, checkToolSchema, createCoercer, sanitizeSchema } from '../src/index.ts'

function fault(schema: unknown): CallgateError {
  try {
    checkToolSchema(schema as JsonSchema)
  } catch (error) {
    if (CallgateError.isInstance(error)) return error
    throw error
  }
  throw new Error('The schema was accepted')
}

describe('checkToolSchema', () => {
  it('names the place and the bad word of an unknown type', () => {
    const error = fault({ type: 'object', properties: { x: { type: 'strnig' } } })
    expect(error).toMatchObject({
      name: 'InvalidToolError',
      code: 'invalid_arguments',
      rule: 'schema-type',
      where: '/properties/x/type',
    })
    expect(error.message).toBe(
      'Broken schema: /properties/x/type "strnig" is no type; did you mean "string"?',
    )
  })

  it.each([
    [{ type: 5 }, '/type'],
    [{ type: [] }, '/type'],
    [{ type: ['integer', 'int'] }, '/type'],
    [{ properties: ['a'] }, '/properties'],
    [{ properties: { a: 'integer' } }, '/properties/a'],
    [{ properties: { a: ['integer'] } }, '/properties/a'],
    [{ properties: { 'a\ud800': {} } }, '/properties/a\ud800'],
    [{ patternProperties: { '\udc00a': {} } }, '/patternProperties/\udc00a'],
    [{ items: 5 }, '/items'],
    [{ anyOf: {} }, '/anyOf'],
    [{ anyOf: [] }, '/anyOf'],
    [{ allOf: [{}, 5] }, '/allOf/1'],
    [{ enum: 'a' }, '/enum'],
    [{ enum: [] }, '/enum'],
    [{ required: ['a', 5] }, '/required'],
    [{ required: 'a' }, '/required'],
    [{ minLength: -1 }, '/minLength'],
    [{ maxItems: 1.5 }, '/maxItems'],
    [{ minimum: '5' }, '/minimum'],
    [{ multipleOf: 0 }, '/multipleOf'],
    [{ uniqueItems: 'yes' }, '/uniqueItems'],
    [{ pattern: 5 }, '/pattern'],
    [{ dependentRequired: ['a'] }, '/dependentRequired'],
    [{ $ref: '#/$defs/gone' }, ''],
    [{ properties: { 'a/b': { $ref: '#nowhere' } } }, '/properties/a~1b'],
  ])('refuses %j', (schema, where) => {
    expect(fault(schema).where).toBe(where)
  })

  it.each([
    undefined,
    true,
    false,
    {},
    { type: 'any' },
    { items: null, enum: null, required: null },
    { properties: { a: { type: 'string', required: true } } },
    { format: 'made-up', 'x-vendor': { type: 5 }, default: { type: 'nonsense' } },
  ])('accepts %j', (schema) => {
    expect(checkToolSchema(schema as JsonSchema | undefined)).toEqual([])
  })

  it('says that remote references are not fetched', () => {
    const schema = { properties: { x: { $ref: 'https://example.test/s.json#/x' } } }
    expect(checkToolSchema(schema)).toEqual([
      {
        path: '/properties/x',
        rule: 'remote-ref',
        message: '"https://example.test/s.json#/x" is not fetched',
      },
    ])
  })

  it('refuses schemas that are nested too deeply, or are rings of objects', () => {
    let deep: JsonSchema = {}
    for (let level = 0; level < 300; level++) deep = { items: deep }
    expect(fault(deep).rule).toBe('schema-size')
    const ring: Record<string, unknown> = {}
    ring['items'] = ring
    expect(fault(ring).rule).toBe('schema-size')
  })

  it.each([
    [{ $ref: '#' }],
    [{ allOf: [{ $ref: '#' }] }],
    [{ $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }],
    [{ properties: { a: { $ref: '#/properties/a' } } }],
    [
      {
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: {
          A: { allOf: [{ type: 'string' }, { $ref: '#/$defs/B' }] },
          B: { $ref: '#/$defs/A' },
        },
      },
    ],
    ...['anyOf', 'oneOf'].map((union) => [
      {
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: {
          A: { [union]: [{ type: 'integer' }, { $ref: '#/$defs/B', title: 'B' }] },
          B: { [union]: [{ type: 'string' }, { allOf: [{ $ref: '#/$defs/A' }] }] },
        },
      },
    ]),
  ] as JsonSchema[][])('refuses %j, which leads back to itself', (schema) => {
    expect(() => checkToolSchema(schema)).toThrow(/"#.*" leads back to itself/)
    expect(createCoercer(schema!).coerce({ a: 1 }).errors[0]?.constraint).toBe('schema')
  })

  it('takes trees, which lead back to themselves one level below', () => {
    const tree = {
      type: 'object',
      properties: {
        next: { allOf: [{ $ref: '#' }] },
        all: { type: 'array', items: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      },
    } as const
    expect(checkToolSchema(tree)).toEqual([])
    expect(createCoercer(tree).coerce({ next: { all: [{}] } }).valid).toBe(true)
  })

  it('takes a schema of a megabyte', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1500 }, (_, n) => [
        `property${n}`,
        { type: 'string', description: 'x'.repeat(700) },
      ]),
    )
    const schema = { type: 'object', properties }
    expect(JSON.stringify(schema).length).toBeGreaterThan(1_000_000)
    expect(checkToolSchema(schema)).toEqual([])
  })

  it('refuses what would take long to compile, and takes the largest that real tools have', () => {
    const branch = (n: number): JsonSchema => ({
      type: 'object',
      properties: { kind: { const: `k${n}` }, size: { type: 'integer' } },
      required: ['kind'],
    })
    const list = (length: number): JsonSchema[] => Array.from({ length }, (_, n) => branch(n))
    expect(fault({ anyOf: list(1000) }).rule).toBe('schema-size')
    expect(fault({ oneOf: list(201) }).rule).toBe('schema-size')
    expect(checkToolSchema({ anyOf: list(400) })).toEqual([])
    expect(checkToolSchema({ oneOf: list(200) })).toEqual([])
    const icons = Array.from({ length: 1200 }, (_, n) => ({ const: `icon${n}` }))
    expect(checkToolSchema({ anyOf: icons })).toEqual([])
  })

  it.each(['maxLength', 'minLength', 'multipleOf', 'type', 'required', 'enum', 'pattern'])(
    'reads a %s that is no JSON, or says that it cannot',
    (keyword) => {
      for (const value of [{ toString: 1, valueOf: 1 }, Symbol('x'), 1n]) {
        const schema = { type: 'string', pattern: '^(a|aa)+$', [keyword]: value }
        try {
          checkToolSchema(schema as unknown as JsonSchema)
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidToolError' })
        }
      }
    },
  )
})

it('a keyword whose value is undefined counts as absent', () => {
  const absent = {
    type: undefined,
    properties: undefined,
    required: undefined,
    additionalProperties: undefined,
    enum: undefined,
    const: undefined,
    format: undefined,
    anyOf: undefined,
    minimum: undefined,
    pattern: undefined,
    $ref: undefined,
  }
  const schema = { ...absent, type: 'object', properties: { a: absent } } as unknown as JsonSchema
  const same: JsonSchema = { type: 'object', properties: { a: {} } }
  expect(checkToolSchema(schema)).toEqual([])
  expect(createCoercer(schema).coerce({ a: 1, b: 2 })).toMatchObject({ valid: true, repairs: [] })
  for (const provider of ['openai-strict', 'gemini', 'any'] as const) {
    expect(sanitizeSchema(schema, { provider })).toStrictEqual(sanitizeSchema(same, { provider }))
    expect(checkSchema(schema, provider)).toEqual(checkSchema(same, provider))
  }
})
