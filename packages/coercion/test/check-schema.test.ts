import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkSchema, type Provider } from '../src/index.ts'

describe('checkSchema', () => {
  const object = (x: unknown, extra: object = {}): JsonSchema =>
    ({ type: 'object', properties: { x }, ...extra }) as JsonSchema

  it.each<[Provider, JsonSchema, string]>([
    ['openai', { type: 'string' }, '/: type'],
    ['anthropic', { type: 'object', anyOf: [{}] }, '/: root union'],
    ['anthropic', object({}, { properties: { 'filter[id]': {} } }), '/: name'],
    ['anthropic', object({}, { properties: { ['a'.repeat(65)]: {} } }), '/: name'],
    [
      'gemini',
      object({ type: 'string' }, { properties: { 'a.b': { type: 'string' } } }),
      '/: name',
    ],
    ['gemini', object({ type: 'string' }, { properties: { '9a': { type: 'string' } } }), '/: name'],
    ['gemini', object({ type: ['string', 'null'] }), '/properties/x: type list'],
    [
      'gemini',
      object({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
      '/properties/x/anyOf/1: type',
    ],
    ['gemini', object({ $ref: '#/$defs/x' }), '/properties/x: $ref'],
    ['gemini', object({ type: 'array' }), '/properties/x: items'],
    ['gemini', object({ type: 'integer', enum: [1] }), '/properties/x: enum'],
    [
      'gemini',
      object({ type: 'object', additionalProperties: true }),
      '/properties/x: additionalProperties',
    ],
    ['gemini', object({ description: 'any' }), '/properties/x: type'],
    ['openai', object({ type: 'array' }), '/properties/x: items'],
    ['openai', object({ type: ['array', 'null'] }), '/properties/x: items'],
    ['openai-strict', object({ type: ['null', 'array'] }), '/properties/x: items'],
    [
      'openai-strict',
      object({ type: ['object', 'null'], required: [] }),
      '/properties/x: open object',
    ],
    ['openai', object({ type: 'string', pattern: '^(?!a)' }), '/properties/x: pattern'],
    ['openai', object({ $ref: 'https://example.test/s.json' }), '/properties/x: remote $ref'],
    ['openai-strict', object({ type: 'string' }), '/: open object'],
    [
      'openai-strict',
      object({ type: 'string' }, { additionalProperties: false }),
      '/: open object',
    ],
    ['openai-strict', object({ oneOf: [{ type: 'string' }] }), '/properties/x: oneOf'],
    ['openai-strict', object({ type: 'string', default: 'x' }), '/properties/x: default'],
    ['openai-strict', object({ type: 'string', format: 'uri' }), '/properties/x: format'],
    [
      'openai-strict',
      object({ $ref: '#/$defs/x', description: 'x' }),
      '/properties/x: words beside $ref',
    ],
    ['llama.cpp', object({ type: 'string', pattern: 'a' }), '/properties/x: pattern'],
    ['llama.cpp', object({ type: 'string', pattern: '^a\\$' }), '/properties/x: pattern'],
    ['llama.cpp', object({ type: 'string', pattern: '^a\\\\\\$' }), '/properties/x: pattern'],
    ['llama.cpp', object('string'), '/properties/x: schema'],
    ['any', object({ type: ['string', 'null'] }), '/properties/x: type list'],
    ['openai-strict', object({ type: [] }), '/properties/x: type list'],
    ['mistral', object({ type: [] }), '/properties/x: type list'],
    ['mistral', object({}, { properties: { '': {} } }), '/: name'],
  ])('%s: %j breaks "%s"', (provider, schema, limit) => {
    expect(checkSchema(schema, provider)).toContain(limit)
  })

  it('counts properties, levels, enum values and characters', () => {
    const many = Object.fromEntries(
      Array.from({ length: 5001 }, (_, n) => [`p${n}`, { type: 'null' }]),
    )
    let deep: JsonSchema = { type: 'string' }
    for (let level = 0; level < 11; level++) deep = { type: 'array', items: deep }
    const values = Array.from({ length: 1001 }, (_, n) => `v${n}`)
    const broken = (x: object): readonly string[] =>
      checkSchema({ type: 'object', ...x }, 'openai-strict')
    expect(broken({ properties: many })).toContain('/: more than 5000 properties')
    expect(broken({ properties: { x: deep } })).toContain('/: more than 10 depth')
    expect(broken({ properties: { x: { enum: values } } })).toContain(
      '/: more than 1000 enumValues',
    )
    expect(broken({ description: 'x'.repeat(120_000) })).toContain('/: more than 120000 characters')
  })
})
