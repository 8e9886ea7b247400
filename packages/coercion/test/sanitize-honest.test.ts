import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import {
  checkSchema,
  createCoercer,
  sanitizeSchema,
  unrename,
  type Provider,
} from '../src/index.ts'

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
