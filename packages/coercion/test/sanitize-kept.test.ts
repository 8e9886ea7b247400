import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkSchema, sanitizeSchema, type Provider } from '../src/index.ts'

const text = { type: 'string' }
const number = { type: 'number' }

/** What a provider is shown of a required field, and what that loses. */
function shownField(x: unknown, provider: Provider, extra: object = {}): [unknown, unknown] {
  const whole = { type: 'object', properties: { x }, required: ['x'], ...extra } as JsonSchema
  const { schema, lossy } = sanitizeSchema(whole, { provider })
  expect(checkSchema(schema, provider)).toEqual([])
  return [(schema as { properties: { x: unknown } }).properties.x, lossy]
}

describe('an open object with known fields', () => {
  const known = { type: 'object', properties: { a: text }, required: ['a'] }

  it.each([true, number])('shows them to strict OpenAI, closed, beside %j', (more) => {
    const field = { ...known, additionalProperties: more }
    expect(shownField(field, 'openai-strict')).toEqual([
      { ...known, additionalProperties: false },
      ['/properties/x: additionalProperties'],
    ])
  })

  it('shows them to Gemini, and says what else may come', () => {
    expect(shownField({ ...known, additionalProperties: number }, 'gemini')).toEqual([
      { ...known, description: '(additionalProperties {"type":["number"]})' },
      ['/properties/x: additionalProperties'],
    ])
  })

  it('shows them beside patterns', () => {
    const field = { ...known, patternProperties: { '^x-': number } }
    for (const provider of ['openai-strict', 'gemini'] as const) {
      expect(shownField(field, provider)).toMatchObject([
        { type: 'object', properties: { a: text } },
        ['/properties/x: patternProperties'],
      ])
    }
  })
})

describe('several types, shown as a union', () => {
  it('each keep what says something about them', () => {
    const field = {
      type: ['string', 'number', 'null', 'object', 'array'],
      minLength: 1,
      maximum: 5,
      properties: { b: text },
      required: ['b'],
      items: number,
    }
    expect(shownField(field, 'llama.cpp')).toEqual([
      {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'number', maximum: 5 },
          { type: 'null' },
          { type: 'object', properties: { b: text }, required: ['b'] },
          { type: 'array', items: number },
        ],
      },
      [],
    ])
  })

  it('lose nothing where a word is not taken that says nothing about them', () => {
    const object = { type: ['string', 'object'], properties: { a: text } }
    const field = { ...object, additionalProperties: false }
    expect(shownField(field, 'gemini')).toMatchObject([
      { anyOf: [text, { type: 'object', properties: { a: text } }] },
      ['/properties/x/anyOf/1: additionalProperties'],
    ])
  })

  it('do not grow with their depth', () => {
    const nested = (depth: number): object => ({
      type: ['object', 'null'],
      properties: { b: depth > 0 ? nested(depth - 1) : text },
      required: ['b'],
    })
    const [shown, lossy] = shownField(nested(9), 'llama.cpp')
    expect(lossy).toEqual([])
    expect(JSON.stringify(shown).length).toBeLessThan(1500)
  })

  it('keep it beside a union, too', () => {
    const field = {
      type: ['object', 'null'],
      properties: { b: text },
      anyOf: [{ required: ['b'] }, { type: 'null' }],
    }
    const [shown] = shownField(field, 'llama.cpp')
    const [object, ...nulls] = (shown as { anyOf: unknown[] }).anyOf
    expect(object).toEqual({ type: 'object', properties: { b: text }, required: ['b'] })
    for (const branch of nulls) expect(branch).not.toHaveProperty('properties')
  })
})

it('an optional union of strict OpenAI gets no second null', () => {
  const x = { anyOf: [text, { type: 'null' }] }
  const { schema } = sanitizeSchema(
    { type: 'object', properties: { x } },
    { provider: 'openai-strict' },
  )
  expect(schema).toMatchObject({ properties: { x }, required: ['x'] })
})

it('a description beside a reference is shown in draft 07, too, and nothing else is', () => {
  const extra = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { D: text },
  }
  const field = { $ref: '#/definitions/D', description: 'Who pays', minLength: 3 }
  expect(shownField(field, 'openai', extra)[0]).toEqual({
    $ref: '#/$defs/D',
    description: 'Who pays',
  })
  expect(shownField(field, 'gemini', extra)).toEqual([{ ...text, description: 'Who pays' }, []])
})

describe('parts that are shown as one', () => {
  it('have the narrower of two bounds', () => {
    const wide = { minimum: 1, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 10 }
    const low = { ...number, ...wide, minimum: 3, exclusiveMaximum: 7 }
    const narrow = { minimum: 3, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 7 }
    for (const allOf of [
      [low, wide],
      [wide, low],
    ]) {
      expect(shownField({ allOf }, 'openai-strict')).toEqual([{ ...number, ...narrow }, []])
    }
    const lists = [
      { type: 'array', items: text, minItems: 1, maxItems: 5 },
      { minItems: 2, maxItems: 4 },
    ]
    expect(shownField({ allOf: lists }, 'gemini')).toEqual([{ ...lists[0], ...lists[1] }, []])
  })

  it('have the values that all list, or else those of the first, which is said', () => {
    const allOf = (...lists: string[][]): object => ({
      allOf: [text, ...lists.map((list) => ({ enum: list }))],
    })
    expect(shownField(allOf(['a', 'b', 'c'], ['c', 'b', 'd']), 'gemini')).toEqual([
      { ...text, enum: ['b', 'c'] },
      [],
    ])
    expect(shownField(allOf(['a'], ['b']), 'gemini')).toEqual([
      { ...text, enum: ['a'] },
      ['/properties/x: enum'],
    ])
  })
})

describe('an object of patterns alone, for a provider that takes none', () => {
  const field = {
    type: 'object',
    patternProperties: { '^[A-Z_]+$': text, '^[a-z]+$': number },
    additionalProperties: false,
  }

  it('is shown to llama.cpp as one of what their entries are', () => {
    expect(shownField(field, 'llama.cpp')).toMatchObject([
      { type: 'object', additionalProperties: { anyOf: [text, number] } },
      ['/properties/x: patternProperties'],
    ])
  })

  it('is asked for as JSON text of that from strict OpenAI', () => {
    expect(shownField(field, 'openai-strict')[0]).toEqual({
      ...text,
      description: `(JSON text of an object of ${JSON.stringify({ anyOf: [text, number] })})`,
    })
  })
})

describe('definitions', () => {
  it('are shown, and count as lost, only where a reference is shown', () => {
    const $defs = {
      used: { anyOf: [text, { $ref: '#/$defs/inner' }] },
      inner: { type: 'integer' },
      unused: { type: 'object', additionalProperties: text },
      merged: { type: 'integer' },
    }
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/used' }, b: { allOf: [{ $ref: '#/$defs/merged' }] } },
      required: ['a', 'b'],
      $defs,
    }
    const { used, inner } = $defs
    expect(sanitizeSchema(schema, { provider: 'openai-strict' })).toEqual({
      schema: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/used' }, b: { type: 'integer' } },
        required: ['a', 'b'],
        additionalProperties: false,
        $defs: { used, inner },
      },
      lossy: [],
      strict: true,
    })
  })

  it('of OpenAPI do not stay where they were', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/components/schemas/A' } },
      components: { schemas: { A: text } },
    }
    expect(sanitizeSchema(schema, { provider: 'openai' }).schema).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: text },
    })
  })
})

describe('what the provider does not enforce', () => {
  it('is told whole where it is not very long', () => {
    const members = Array.from({ length: 30 }, (_, n) => 200 + n)
    const field = { type: 'integer', enum: members }
    expect(shownField(field, 'gemini')).toEqual([
      { type: 'integer', description: `(enum ${JSON.stringify(members)})` },
      ['/properties/x: enum'],
    ])
  })

  it('is told up to a thousand characters', () => {
    const field = { ...text, enum: ['', 'a'.repeat(5000)] }
    expect(shownField(field, 'gemini')[0]).toEqual({
      ...text,
      description: `(enum ["","${'a'.repeat(995)}…)`,
    })
  })

  it.each(['anthropic', 'openai-strict', 'gemini'] as const)(
    'is told to %s at the root, too',
    (provider) => {
      const schema = {
        type: 'object',
        description: 'Finds',
        properties: { a: text, b: text },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        not: { required: ['a', 'b'] },
      } as JsonSchema
      const told = 'anyOf [{"required":["a"]},{"required":["b"]}], not {"required":["a","b"]}'
      const { schema: shown, lossy } = sanitizeSchema(schema, { provider })
      expect(shown).toMatchObject({ description: `Finds (${told})` })
      expect(lossy).toEqual(['/: anyOf', '/: not'])
    },
  )
})
