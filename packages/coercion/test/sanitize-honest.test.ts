import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  checkSchema,
  checkToolSchema,
  createCoercer,
  sanitizeSchema,
  unrename,
  type Provider,
} from '../src/index.ts'
import { runs } from './support/runs.ts'

function object(properties: object, extra: object = {}): JsonSchema {
  return { type: 'object', properties, ...extra } as JsonSchema
}

function judged(schema: JsonSchema, provider: Provider): object {
  const { lossy, strict } = sanitizeSchema(schema, { provider })
  return { lossy, strict }
}

const text = { type: 'string' }

describe('an object that is open and must be closed', () => {
  const required = { required: ['a'] }

  it.each<[string, JsonSchema, string]>([
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      '/: additionalProperties',
    ],
    [
      'a map beside properties',
      object({ a: text }, { ...required, additionalProperties: { type: 'integer' } }),
      '/: additionalProperties',
    ],
    [
      'patterns',
      object({ a: text }, { ...required, patternProperties: { '^x': text } }),
      '/: patternProperties',
    ],
    [
      'any other field',
      object({ a: text }, { ...required, additionalProperties: true }),
      '/: additionalProperties',
    ],
  ])('says that it loses %s, and is not strict', (_, schema, loss) => {
    expect(judged(schema, 'openai-strict')).toEqual({ lossy: [loss], strict: false })
    for (const provider of ['anthropic', 'openai'] as const) {
      expect(judged(schema, provider)).toEqual({ lossy: [], strict: false })
    }
  })

  it('loses nothing where it does not say that it is open', () => {
    expect(judged(object({ a: text }), 'openai-strict')).toEqual({ lossy: [], strict: true })
  })
})

it.each<[Provider, string, object]>([
  ['openai', '/properties/a b: pattern', { pattern: '(?!x)' }],
  [
    'openai-strict',
    '/properties/a b/anyOf/0: not',
    { oneOf: [{ ...text, not: {} }, { type: 'null' }] },
  ],
  ['llama.cpp', '/properties/a b/anyOf/1: not', { type: ['integer', 'array'], not: {} }],
  ['openai-strict', '/$defs/D: not', { $ref: '#/definitions/D' }],
])('what is lost for %s is at %s', (provider, loss, field) => {
  const schema = object({ 'a b': field }, { definitions: { D: { ...text, not: {} } } })
  expect(sanitizeSchema(schema, { provider }).lossy).toContain(loss)
})

describe('a part that is closed', () => {
  const closed = object({ a: text }, { additionalProperties: false })

  it('says that it refuses the fields of the others', () => {
    const loss = '/: additionalProperties beside other parts'
    for (const also of [{ allOf: [closed] }, { anyOf: [closed], additionalProperties: false }]) {
      expect(sanitizeSchema(object({ b: text }, also)).lossy).toContain(loss)
    }
  })

  it('loses nothing where it declares all fields', () => {
    const schema = object({}, { allOf: [closed, { properties: { a: text } }] })
    expect(sanitizeSchema(schema).lossy).toEqual([])
  })
})

describe('a field that is required where it is not declared', () => {
  const when = { properties: { status: { const: 'done' } }, required: ['end'] }
  const f = object({ status: text, end: text }, { anyOf: [when, { required: ['status'] }] })

  it.each<Provider>(['openai', 'anthropic', 'bedrock', 'mistral', 'any'])(
    'stays so for %s',
    (provider) => {
      for (const schema of [object({ f }), object({ f: object({}, { required: ['x y'] }) })]) {
        expect(sanitizeSchema(schema, { provider })).toMatchObject({ schema, lossy: [] })
      }
    },
  )

  it('is shown to llama.cpp in each branch', () => {
    expect(sanitizeSchema(object({ f }), { provider: 'llama.cpp' })).toMatchObject({
      schema: object({ f: { anyOf: [{ required: ['end'] }, { required: ['status'] }] } }),
      lossy: [],
    })
  })

  it.each<Provider>(['gemini', 'openai-strict'])('is said to be lost for %s', (provider) => {
    const schema = object({ f: object({ a: text }, { required: ['b', 'a'] }) }, { required: ['f'] })
    expect(sanitizeSchema(schema, { provider })).toMatchObject({
      schema: object({ f: object({ a: text }, { required: ['a'] }) }),
      lossy: ['/properties/f: required'],
    })
  })
})

describe('a field without a name', () => {
  it.each<Provider>(['openai', 'openai-strict', 'mistral', 'anthropic', 'gemini', 'any'])(
    'is shown to %s as `param` and comes back',
    (provider) => {
      const schema = object({ '': text })
      const { schema: shown, lossy } = sanitizeSchema(schema, { provider })
      expect(Object.keys((shown as { properties: object }).properties)).toEqual(['param'])
      expect(lossy).toEqual([])
      expect(checkSchema(shown, provider)).toEqual([])
      expect(unrename(schema, { param: 'x' }, { provider })).toEqual({ '': 'x' })
    },
  )
})

describe('rules about names beside a field that is shown under another name', () => {
  it('are left out where they would refuse the field', () => {
    const schema = object({ 'a b': {} }, { propertyNames: { enum: ['a b'] } })
    expect(sanitizeSchema(schema)).toMatchObject({
      schema: { type: 'object', properties: { a_b: {} } },
      lossy: ['/: propertyNames'],
    })
    expect(sanitizeSchema(schema).schema).not.toHaveProperty('propertyNames')
  })

  it('are said to be lost where they are patterns', () => {
    const schema = object({ 'a b': {} }, { patternProperties: { '^a b$': { minimum: 5 } } })
    expect(sanitizeSchema(schema).lossy).toEqual(['/: patternProperties'])
  })

  it('are said to be lost where they stand in another part', () => {
    const rule = { propertyNames: { enum: ['a b'] } }
    const f = { properties: { 'a b': {} }, allOf: [rule] }
    expect(sanitizeSchema(object({ f })).lossy).toEqual(['/properties/f: propertyNames'])
    expect(sanitizeSchema(object({ f: { allOf: [rule] } })).lossy).toEqual([])
  })

  it.each<unknown>([true, {}, { type: 'string' }, { type: ['null', 'string'] }])(
    'lose nothing where they say nothing: %j',
    (propertyNames) => {
      const map = { type: 'object', additionalProperties: text }
      const fields = object({ 'a b': text }, { propertyNames, required: ['a b'] })
      for (const provider of ['openai-strict', 'anthropic', 'gemini', 'llama.cpp'] as const) {
        const shown = (f: object): unknown => sanitizeSchema(object({ f }), { provider })
        expect(shown({ ...map, propertyNames })).toEqual(shown(map))
        expect(judged(fields, provider)).toMatchObject({ lossy: [] })
      }
    },
  )

  it.each<unknown>([false, { type: 'integer' }, { minLength: 2 }, { type: 'string', enum: ['a'] }])(
    'are said to be lost where they say something: %j',
    (propertyNames) => {
      const schema = object({ a: text }, { propertyNames, required: ['a'] })
      expect(judged(schema, 'openai-strict')).toMatchObject({ lossy: ['/: propertyNames'] })
      expect(createCoercer(schema).coerce({ a: 'x' }).valid).toBe(
        Object.hasOwn(Object(propertyNames) as object, 'enum'),
      )
    },
  )

  it('stay where no field is renamed', () => {
    const rules = { propertyNames: { enum: ['a'] }, patternProperties: { '^a$': { minimum: 5 } } }
    const schema = object({ a: {} }, rules)
    expect(sanitizeSchema(schema)).toMatchObject({ schema, lossy: [] })
  })
})

describe('types that contradict each other', () => {
  const never = { allOf: [{ type: 'string' }, { type: 'integer' }] }

  it.each<[Provider, JsonSchema, string]>([
    ['gemini', object({ a: never }), '/properties/a: type'],
    [
      'openai-strict',
      object({ a: { $ref: '#/$defs/k' } }, { required: ['a'], $defs: { k: never } }),
      '/$defs/k: type',
    ],
  ])('are said to be lost for %s, which takes what is shown', (provider, schema, loss) => {
    const shown = sanitizeSchema(schema, { provider })
    expect(shown).toMatchObject({ lossy: [loss], strict: false })
    expect(JSON.stringify(shown.schema)).not.toContain('"type":[]')
    expect(checkSchema(shown.schema, provider)).toEqual([])
  })

  it('are not those of an integer and a number', () => {
    const schema = object({ a: { allOf: [{ type: ['number', 'null'] }, { type: 'integer' }] } })
    expect(sanitizeSchema(schema, { provider: 'gemini' })).toMatchObject({
      schema: { properties: { a: { type: 'integer' } } },
      lossy: [],
    })
  })
})

describe('a provider that is not known', () => {
  it.each<[string, (provider: Provider) => unknown]>([
    ['sanitizeSchema', (provider) => sanitizeSchema({}, { provider })],
    ['checkSchema', (provider) => checkSchema({}, provider)],
    ['createCoercer', (provider) => createCoercer({ type: 'object' }, { provider })],
  ])('makes %s throw an error that names those that are', (_, call) => {
    for (const provider of ['antropic', 'constructor', '__proto__']) {
      expect(() => call(provider as Provider)).toThrow(
        `provider "${provider}" is not known: give one of openai, openai-strict, anthropic, bedrock, mistral, gemini, llama.cpp, any`,
      )
    }
  })
})

describe('names that become the same', () => {
  const parts = {
    properties: { 'a b': {} },
    allOf: [{ properties: { a_b: {} } }],
    required: ['a b'],
  }

  it.each<[string, JsonSchema]>([
    ['in allOf', parts],
    [
      'in a reference',
      {
        properties: { 'a b': {} },
        $ref: '#/$defs/D',
        required: ['a b'],
        $defs: { D: { properties: { a_b: {} } } },
      },
    ],
    [
      'in the branches of a union',
      {
        anyOf: [
          { properties: { 'a b': { type: 'integer' } }, required: ['a b'] },
          { properties: { a_b: { type: 'integer' } }, required: ['a_b'] },
        ],
      },
    ],
  ])('%s at the root come back as they are shown', (_, schema) => {
    for (const provider of ['any', 'anthropic', 'gemini', 'llama.cpp'] as const) {
      const { schema: shown } = sanitizeSchema(schema, { provider })
      expect(shown).toMatchObject({ properties: { a_b: {}, a_b_2: {} } })
      const { coerce } = createCoercer(schema, { provider })
      expect(coerce({ a_b_2: 1 })).toMatchObject({ value: { 'a b': 1 }, valid: true })
      expect(unrename(schema, { a_b_2: 1, a_b: 2 }, { provider })).toEqual({ 'a b': 1, a_b: 2 })
      expect(unrename(schema, { a_b: 2 }, { provider })).toEqual({ a_b: 2 })
    }
  })

  it('come back from inside where the parts are shown as one', () => {
    const schema = object({ f: parts })
    expect(JSON.stringify(judged(schema, 'gemini'))).not.toContain('two fields')
    expect(unrename(schema, { f: { a_b_2: 1 } }, { provider: 'gemini' })).toEqual({
      f: { 'a b': 1 },
    })
  })

  it.each<[string, object]>([
    ['allOf', parts],
    ['a reference', { properties: { 'a b': {} }, $ref: '#/$defs/D' }],
    ['a union', { properties: { a_b: {} }, anyOf: [{ properties: { 'a b': {} } }, true] }],
    ['a condition', { properties: { a_b: {} }, if: { properties: { 'a b': {} } } }],
    ['a branch of a branch', { properties: { a_b: {} }, anyOf: [{ oneOf: [parts] }] }],
    ['what nobody declares', { properties: { 'a b': {} }, required: ['a_b'] }],
    ['what a definition requires', { properties: { a_b: {}, 'a b': {} }, $ref: '#/$defs/R' }],
  ])('are said to be lost where %s stays apart', (_, f) => {
    const $defs = { D: { properties: { a_b: {} } }, R: { required: ['a b'] } }
    const schema = object({ f }, { $defs })
    for (const provider of ['any', 'anthropic'] as const) {
      expect(judged(schema, provider)).toEqual({
        lossy: ['/properties/f: two fields named "a_b"'],
        strict: false,
      })
    }
  })

  it('are taken for the own name of any part that applies at the place', () => {
    const branch = { properties: { 'a b': {} } }
    for (const also of [{ anyOf: [branch] }, { if: {}, then: branch }]) {
      const { coerce } = createCoercer(object({ f: { properties: { a_b: {} }, ...also } }))
      expect(coerce({ f: { a_b: 1 } })).toMatchObject({ value: { f: { a_b: 1 } }, repairs: [] })
    }
  })

  const both = { properties: { 'a b': {}, 'a/b': {} } }
  const wants = { required: ['a/b'] }
  const told = { required: ['a_b_2'] }

  it.each<[string, object, object]>([
    ['allOf', { allOf: [both, wants] }, { allOf: [{}, told] }],
    ['a reference', { $ref: '#/$defs/D', ...wants }, told],
    [
      'a union',
      { ...both, anyOf: [wants, { oneOf: [wants] }] },
      { anyOf: [told, { oneOf: [told] }] },
    ],
    [
      'conditions',
      { ...both, if: wants, then: { required: ['a b'] }, else: { not: wants } },
      { if: told, then: { required: ['a_b'] }, else: { not: told } },
    ],
    [
      'dependencies',
      {
        allOf: [both, { dependentRequired: { 'a/b': ['a b'] } }],
        dependentSchemas: { 'a b': wants },
      },
      { allOf: [{}, { dependentRequired: { a_b_2: ['a_b'] } }], dependentSchemas: { a_b: told } },
    ],
  ])('are told apart where %s only mentions them', (_, f, shown) => {
    const schema = object({ f }, { $defs: { D: both } })
    for (const provider of ['any', 'anthropic'] as const) {
      expect(sanitizeSchema(schema, { provider })).toMatchObject({
        schema: { properties: { f: shown } },
        lossy: [],
      })
      expect(unrename(schema, { f: { a_b_2: 1 } }, { provider })).toEqual({ f: { 'a/b': 1 } })
    }
  })

  it('are not those of another value', () => {
    const f = { ...both, properties: { ...both.properties, g: wants } }
    expect(sanitizeSchema(object({ f })).schema).toMatchObject({
      properties: { f: { properties: { g: wants } } },
    })
  })

  it('are required under the shown name by a branch that does not declare them', () => {
    const f = {
      properties: { 'a b': {}, c: {} },
      anyOf: [{ required: ['a b'] }, { required: ['c'] }],
    }
    expect(sanitizeSchema(object({ f }))).toEqual({
      schema: object({
        f: { properties: { a_b: {}, c: {} }, anyOf: [{ required: ['a_b'] }, { required: ['c'] }] },
      }),
      lossy: [],
      strict: false,
    })
  })

  it('come back whatever they are and wherever they stand', () => {
    const names = ['a b', 'a_b', 'a~b', 'a_b_2', '', 'param', '_', '7', '_7', '12', '$top', '城市']
    const fields = fc
      .subarray(names)
      .map((some) => ({ properties: Object.fromEntries(some.map((name) => [name, {}])) }))
    const providers = ['openai-strict', 'anthropic', 'gemini', 'llama.cpp', 'any'] as const
    fc.assert(
      fc.property(
        fc.array(fields, { minLength: 6, maxLength: 6 }),
        fc.constantFrom(...providers),
        ([own, D, all, any, other, one], provider) => {
          const $defs = { D }
          const allOf = [{ $ref: '#/$defs/D' }, all]
          const schema = { ...own, allOf, anyOf: [any, other], oneOf: [one], $defs } as JsonSchema
          const shown = sanitizeSchema(schema, { provider }).schema as { properties: object }
          const sent = Object.keys(shown.properties).map((name, index) => [name, `${index}`])
          const back = unrename(schema, Object.fromEntries(sent), { provider }) as object
          const known = [own, D, all, any, other, one].flatMap((part) =>
            Object.keys(part?.properties ?? {}),
          )
          expect(new Set(Object.keys(back))).toEqual(new Set(known))
        },
      ),
      runs(500),
    )
  })
})

describe('what stands beside a reference that must stand alone', () => {
  const beside = (words: object): JsonSchema =>
    object(
      { f: { $ref: '#/$defs/D', ...words } },
      { required: ['f'], $defs: { D: { type: 'integer' } } },
    )

  it.each<Provider>(['openai-strict', 'llama.cpp'])('is shown to %s in its place', (provider) => {
    const { schema, lossy } = sanitizeSchema(beside({ minimum: 3, description: 'Three' }), {
      provider,
    })
    const f = { type: 'integer', minimum: 3, description: 'Three' }
    expect({ schema, lossy }).toMatchObject({ schema: { properties: { f } }, lossy: [] })
    expect(schema).not.toHaveProperty('$defs')
  })

  it('can be sent to strict OpenAI where it is a field', () => {
    const D = object({ 'k 1': text }, { required: ['k 1'] })
    const f = { $ref: '#/$defs/D', properties: { '': text }, required: [''] }
    const schema = object({ f }, { required: ['f'], $defs: { D } })
    const shown = sanitizeSchema(schema, { provider: 'openai-strict' })
    const properties = { param: {}, 'k 1': {} }
    expect(shown).toMatchObject({
      schema: { properties: { f: { properties, required: ['param', 'k 1'] } } },
      lossy: [],
      strict: true,
    })
    const { coerce } = createCoercer(schema, { provider: 'openai-strict' })
    expect(coerce({ f: { param: 'a', 'k 1': 'b' } })).toMatchObject({
      value: { f: { '': 'a', 'k 1': 'b' } },
      valid: true,
    })
  })

  it('comes back under its own names where the two would be shown as one', () => {
    const f = { $ref: '#/$defs/D', properties: { 'a b': text } }
    const schema = object({ f }, { $defs: { D: { properties: { a_b: text } } } })
    const { schema: shown, lossy } = sanitizeSchema(schema, { provider: 'llama.cpp' })
    expect(shown).toMatchObject({ properties: { f: { properties: { a_b_2: text, a_b: text } } } })
    expect(lossy).toEqual([])
    const sent = { f: { a_b_2: 'x', a_b: 'y' } }
    expect(unrename(schema, sent, { provider: 'llama.cpp' })).toEqual({
      f: { 'a b': 'x', a_b: 'y' },
    })
  })

  it('is said to be lost where the reference leads back to itself', () => {
    const D = object({ d: { $ref: '#/$defs/D', minProperties: 1 } })
    const schema = object({ f: { $ref: '#/$defs/D', required: ['d'] } }, { $defs: { D } })
    expect(sanitizeSchema(schema, { provider: 'llama.cpp' })).toMatchObject({
      schema: { properties: { f: { properties: { d: { $ref: '#/$defs/D' } } } } },
      lossy: expect.arrayContaining(['/properties/f/properties/d: minProperties']) as string[],
    })
  })

  it('is not lost where the definition says it', () => {
    const schema = beside({ type: 'integer' })
    expect(judged(schema, 'openai-strict')).toEqual({ lossy: [], strict: true })
  })
})

describe('what JSON cannot hold', () => {
  it('is said to be lost where it is a field named `__proto__`', () => {
    const schema = JSON.parse(
      '{"properties":{"a":{"items":{"properties":{"__proto__":{}}}}}}',
    ) as JsonSchema
    expect(sanitizeSchema(schema).lossy).toEqual([
      '/properties/a/items/properties/__proto__: property',
    ])
  })

  it.each<[bigint, unknown, readonly string[]]>([
    [5n, 5, []],
    [12345678901234567890n, '12345678901234567890', ['/: "12345678901234567890"']],
  ])('is shown as a number, or else as text, where it is the bigint %s', (value, shown, lossy) => {
    const schema = object({ a: { default: value } })
    expect(checkToolSchema(schema)).toEqual([])
    expect(sanitizeSchema(schema)).toMatchObject({
      schema: { properties: { a: { default: shown } } },
      lossy,
    })
    expect(checkSchema(schema, 'openai-strict')).toContain('/properties/a: default')
  })
})
