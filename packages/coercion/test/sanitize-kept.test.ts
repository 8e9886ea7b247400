import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkSchema, createCoercer, sanitizeSchema, type Provider } from '../src/index.ts'

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
