import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { checkSchema, checkToolSchema, sanitizeSchema, type Provider } from '../src/index.ts'
import { runs } from './support/runs.ts'
import { validCase } from './support/schemas.ts'

const providers: readonly Provider[] = [
  'openai',
  'openai-strict',
  'anthropic',
  'gemini',
  'bedrock',
  'mistral',
  'llama.cpp',
  'any',
]

function shownField(schema: unknown, provider: Provider, extra: object = {}): unknown {
  const whole = { type: 'object', properties: { x: schema }, required: ['x'], ...extra }
  const { schema: shown } = sanitizeSchema(whole as JsonSchema, { provider })
  return (shown as { properties: { x: unknown } }).properties.x
}

const everything: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    'filter[id]': { type: ['string', 'null'], description: 'Which', default: null },
    城市: { type: 'string', minLength: 1, maxLength: 9, pattern: '^(?=a)\\p{L}+$' },
    count: { type: 'integer', exclusiveMinimum: 0, multipleOf: 5, default: 5 },
    code: { type: ['string', 'integer'] },
    level: { enum: [1, 2, 3] },
    kind: { const: 'fixed' },
    when: { type: 'string', format: 'date-time' },
    where: { type: 'string', format: 'uri' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object' },
    any: {},
    tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2 },
    list: { type: 'array' },
    node: { $ref: '#/$defs/Node', description: 'Root' },
    both: {
      allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { $ref: '#/$defs/B' }],
    },
    one: {
      oneOf: [{ type: 'string' }, { type: 'object', properties: { 'k~': { type: 'null' } } }],
    },
    cond: {
      type: 'object',
      properties: { a: {} },
      if: {},
      then: { required: ['a'] },
      not: { type: 'null' },
    },
    nullable: { $ref: '#/$defs/B', nullable: true },
    never: false,
  },
  required: ['城市', 'node'],
  dependentRequired: { 'filter[id]': ['城市'] },
  anyOf: [{ required: ['count'] }, { properties: { extra: { type: 'boolean' } } }],
  $defs: {
    Node: {
      type: 'object',
      properties: {
        v: { type: 'integer' },
        kids: { type: 'array', items: { $ref: '#/$defs/Node' } },
      },
      required: ['v'],
    },
    B: { type: 'object', properties: { 'b/c': { type: 'boolean' } }, required: ['b/c'] },
  },
}

describe.each(providers)('for %s', (provider) => {
  it('a schema with everything is accepted, and so is one without anything', () => {
    for (const schema of [
      everything,
      undefined,
      true,
      false,
      {},
      { type: 'string' },
      { anyOf: [everything] },
    ]) {
      const shown = sanitizeSchema(schema, { provider })
      expect(checkSchema(shown.schema, provider)).toEqual([])
      expect(checkToolSchema(shown.schema)).toEqual([])
    }
  })

  it('strict is not claimed where meaning was lost', () => {
    const { lossy, strict } = sanitizeSchema(everything, { provider })
    expect(lossy).not.toEqual([])
    expect(strict).toBe(false)
  })

  it('generated schemas are accepted, the input is left alone, and the same schema comes out again', () => {
    fc.assert(
      fc.property(validCase, ({ schema }) => {
        const before = structuredClone(schema)
        const { schema: shown } = sanitizeSchema(schema, { provider })
        expect(schema).toEqual(before)
        expect(checkSchema(shown, provider)).toEqual([])
        expect(sanitizeSchema(schema, { provider }).schema).toEqual(shown)
      }),
      runs(500),
    )
  })
})

describe('what a provider is shown', () => {
  it('strict OpenAI: every object closed, all required, null for what was optional', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        q: { type: 'string' },
        n: { type: 'integer' },
        e: { type: 'string', enum: ['a'] },
        r: { $ref: '#/$defs/D' },
      },
      required: ['q'],
      $defs: { D: { type: 'object', properties: { k: { type: 'boolean' } }, required: ['k'] } },
    }
    expect(sanitizeSchema(schema, { provider: 'openai-strict' })).toEqual({
      schema: {
        type: 'object',
        properties: {
          q: { type: 'string' },
          n: { type: ['integer', 'null'] },
          e: { type: ['string', 'null'], enum: ['a', null] },
          r: { anyOf: [{ $ref: '#/$defs/D' }, { type: 'null' }] },
        },
        required: ['q', 'n', 'e', 'r'],
        additionalProperties: false,
        $defs: {
          D: {
            type: 'object',
            properties: { k: { type: 'boolean' } },
            required: ['k'],
            additionalProperties: false,
          },
        },
      },
      lossy: [],
      strict: true,
    })
  })

  it.each<[string, JsonSchema, JsonSchema]>([
    ['a type that takes it', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'values among which it is',
      { enum: ['a', null] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'one fixed value',
      { const: 'a' },
      { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
    ],
  ])('strict OpenAI: an optional field of %s takes null, once', (_, field, shown) => {
    const schema: JsonSchema = { type: 'object', properties: { x: field } }
    expect(sanitizeSchema(schema, { provider: 'openai-strict' }).schema).toMatchObject({
      properties: { x: shown },
    })
  })

  it('strict OpenAI: objects with free keys as JSON text, which coercion reads back', () => {
    const map = { type: 'object', additionalProperties: { type: 'string' }, description: 'Headers' }
    expect(shownField(map, 'openai-strict')).toEqual({
      type: 'string',
      description: 'Headers (JSON text of an object of {"type":"string"})',
    })
  })

  it('what is not taken goes into the description', () => {
    const schema = { type: 'string', minLength: 3, description: 'Name' }
    expect(shownField(schema, 'openai-strict')).toEqual({
      type: 'string',
      description: 'Name (minLength 3)',
    })
    expect(shownField({ type: 'string', format: 'uri' }, 'llama.cpp')).toEqual({
      type: 'string',
      description: '(format "uri")',
    })
  })

  it('Gemini: no references, one type each, nullable, text enums only', () => {
    const $defs = { D: { type: 'object', properties: { k: { type: ['integer', 'null'] } } } }
    expect(shownField({ $ref: '#/$defs/D' }, 'gemini', { $defs })).toEqual({
      type: 'object',
      properties: { k: { type: 'integer', nullable: true } },
    })
    expect(shownField({ type: ['string', 'integer'] }, 'gemini')).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }],
    })
    expect(shownField({ const: 'a' }, 'gemini')).toEqual({ type: 'string', enum: ['a'] })
    expect(shownField({ type: 'integer', enum: [1, 2] }, 'gemini')).toEqual({
      type: 'integer',
      description: '(enum [1,2])',
    })
  })

  it('Gemini: a ring of references is cut', () => {
    const { schema, lossy } = sanitizeSchema(everything, { provider: 'gemini' })
    expect(JSON.stringify(schema)).not.toContain('$ref')
    expect(lossy.some((loss) => loss.endsWith('recursion'))).toBe(true)
  })

  it('names that tell nothing are explained, but not for every provider at once', () => {
    const schema: JsonSchema = { type: 'object', properties: { 城市: { type: 'string' } } }
    expect(sanitizeSchema(schema, { provider: 'anthropic' }).schema).toEqual({
      type: 'object',
      properties: { __: { type: 'string', description: '("城市")' } },
    })
    expect(sanitizeSchema(schema, { provider: 'openai' }).schema).toEqual(schema)
    expect(sanitizeSchema(schema).schema).toEqual({
      type: 'object',
      properties: { __: { type: 'string' } },
    })
  })

  it('a union at the root is laid into one set of properties', () => {
    const schema: JsonSchema = {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, n: { type: 'integer' } },
          required: ['kind', 'n'],
        },
        { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
      ],
    }
    expect(sanitizeSchema(schema, { provider: 'anthropic' })).toEqual({
      schema: {
        type: 'object',
        description: expect.stringMatching(/^\(oneOf \[\{"type".*\}\]\)$/) as string,
        properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, n: { type: 'integer' } },
        required: ['kind'],
      },
      lossy: ['/: oneOf'],
      strict: false,
    })
  })

  it('strict Anthropic is claimed for a closed schema of plain keywords', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { q: { type: 'string' }, n: { type: 'integer' } },
      required: ['q'],
      additionalProperties: false,
    }
    expect(sanitizeSchema(schema, { provider: 'anthropic' })).toEqual({
      schema,
      lossy: [],
      strict: true,
    })
    const bounded = { ...schema, properties: { q: { type: 'string', minLength: 1 } } }
    expect(sanitizeSchema(bounded, { provider: 'anthropic' }).strict).toBe(false)
  })

  it('older drafts in the words of the newest', () => {
    expect(
      shownField({ type: 'integer', minimum: 0, exclusiveMinimum: true }, 'mistral', {
        $schema: 'http://json-schema.org/draft-04/schema#',
      }),
    ).toEqual({ type: 'integer', minimum: 0, exclusiveMinimum: 0 })
  })
})

describe('oneOf for a provider that takes only anyOf', () => {
  const shown = (oneOf: readonly JsonSchema[]): ReturnType<typeof sanitizeSchema> =>
    sanitizeSchema(
      {
        type: 'object',
        properties: { a: { oneOf } },
        required: ['a'],
        additionalProperties: false,
      },
      { provider: 'openai-strict' },
    )
  const branch = (kind: string): JsonSchema => ({
    type: 'object',
    properties: { kind: { const: kind } },
    required: ['kind'],
    additionalProperties: false,
  })

  it('loses nothing where the types of the branches differ', () => {
    expect(shown([{ type: 'string' }, { type: 'number' }])).toMatchObject({
      lossy: [],
      strict: true,
    })
  })

  it('loses nothing where a required tag tells the branches apart', () => {
    expect(shown([branch('x'), branch('y')])).toMatchObject({ lossy: [], strict: true })
  })

  it('says that something is lost where a value may fit two branches', () => {
    const { lossy, strict } = shown([{ type: 'integer' }, { type: 'number' }])
    expect({ lossy, strict }).toEqual({ lossy: ['/properties/a: oneOf'], strict: false })
  })
})

it('several types beside a union go into its branches where a type is one word', () => {
  const a = { type: ['object', 'null'], anyOf: [{ required: ['x'] }, { type: 'null' }] } as const
  const shown = sanitizeSchema({ type: 'object', properties: { a } }, { provider: 'llama.cpp' })
  expect(shown.schema).toMatchObject({
    properties: {
      a: { anyOf: [{ type: 'object' }, { type: 'null' }, { type: 'null' }] },
    },
  })
})

it.each(['anyOf', 'oneOf'])('Gemini: %s of nothing but null is shown as such a branch', (union) => {
  const schema = { properties: { a: { [union]: [{ type: 'null' }] } } }
  const { schema: shown, lossy } = sanitizeSchema(schema, { provider: 'gemini' })
  expect(checkSchema(shown, 'gemini')).toEqual([])
  expect(shown).toMatchObject({ properties: { a: { anyOf: [{ nullable: true }] } } })
  expect(lossy).toEqual(['/properties/a/anyOf/0: any type'])
})

it('a field of any type loses something where a provider wants a type', () => {
  const schema = { type: 'object', properties: { a: {} } } as const
  expect(sanitizeSchema(schema, { provider: 'gemini' }).lossy).toEqual(['/properties/a: any type'])
})

it('what cannot be read is named among what is lost', () => {
  const schema = { type: 'object', properties: { a: { type: 'strnig' } } } as JsonSchema
  expect(sanitizeSchema(schema).lossy).toEqual([
    '/properties/a/type: "strnig" is no type; did you mean "string"?',
  ])
})

describe('a schema that a hostile server sends', () => {
  it.each(providers)('is shown to %s though it holds itself among others', (provider) => {
    const schema = { type: 'array', items: { allOf: [{ $ref: '#' }, true] } } as JsonSchema
    expect(JSON.stringify(sanitizeSchema(schema, { provider }).schema).length).toBeLessThan(1000)
  })

  it.each([
    '$id',
    '$anchor',
    '$dynamicAnchor',
    '$schema',
    'description',
    'pattern',
    'format',
    '$ref',
  ])('has its %s passed over or refused where it is an object without a text', (keyword) => {
    const schema = {
      $defs: { a: { [keyword]: Object.create(null) as unknown } },
      [keyword]: { toString: 'text' },
      properties: { x: { $ref: '#anchor' }, y: { $ref: '#/$defs/a' } },
    } as JsonSchema
    for (const provider of providers) {
      const told = (): unknown => checkToolSchema(schema)
      try {
        told()
      } catch (error) {
        expect(error).toMatchObject({ name: 'InvalidToolError' })
      }
      expect(sanitizeSchema(schema, { provider }).schema).toMatchObject({ type: 'object' })
    }
  })

  it('is refused where a type is an object without a text', () => {
    const schema = { oneOf: [{ type: Object.create(null) as string }, true] } as JsonSchema
    expect(() => checkToolSchema(schema)).toThrow('is no type')
  })
})
