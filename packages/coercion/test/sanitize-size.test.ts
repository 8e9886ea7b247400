import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { checkSchema, sanitizeSchema, type Provider } from '../src/index.ts'
import { runs } from './support/runs.ts'

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

describe('definitions that stand in many places', () => {
  /** Each refers twice to the next, so that it doubles with each when written out. */
  const chain = (length: number, leaf: JsonSchema): JsonSchema => {
    const definitions = Array.from({ length }, (_, n) => {
      const next = { $ref: `#/$defs/d${n + 1}` }
      return [`d${n}`, { type: 'object', properties: { l: next, r: next } }] as const
    })
    const $defs = { ...Object.fromEntries(definitions), [`d${length}`]: leaf }
    return { $defs, type: 'object', properties: { a: { $ref: '#/$defs/d0' } } }
  }
  /** As the README says: so many characters, and so many for each of the original. */
  const most = (schema: JsonSchema): number => 200_000 + 20 * JSON.stringify(schema).length

  it.each(providers)(
    'are written for %s up to a limit, and the rest is said to be lost',
    (provider) => {
      const schema = chain(30, { type: 'integer' })
      const { schema: shown, lossy } = sanitizeSchema(schema, { provider })
      const text = JSON.stringify(shown)
      expect(text.length).toBeLessThan(most(schema))
      expect(text.includes('$ref')).toBe(!lossy.some((loss) => loss.endsWith('too large')))
      expect(checkSchema(shown, provider)).toEqual([])
    },
  )

  it('are all written where that is not much', () => {
    const { lossy } = sanitizeSchema(chain(8, { type: 'integer' }), { provider: 'gemini' })
    expect(lossy).toEqual([])
  })

  it('never make more than that, whatever the definitions hold', () => {
    const types = fc.subarray(['object', 'array', 'null', 'string'], { minLength: 1 })
    const definition = fc.record({
      type: types,
      targets: fc.array(fc.nat(25), { maxLength: 4 }),
      union: fc.constantFrom('anyOf', 'oneOf', 'allOf', 'properties'),
      description: fc.string({ maxLength: 500 }),
    })
    const definitions = fc.array(definition, { minLength: 25, maxLength: 25 })
    fc.assert(
      fc.property(definitions, fc.constantFrom(...providers), (list, provider) => {
        const entries = list.map(({ type, targets, union, description }, n) => {
          const parts = targets.map((target) => ({ $ref: `#/$defs/d${(n + target) % 25}` }))
          const inside = union === 'properties' ? Object.fromEntries(parts.entries()) : parts
          return [`d${n}`, parts.length > 0 ? { type, description, [union]: inside } : { type }]
        })
        const $defs = Object.fromEntries(entries) as Record<string, JsonSchema>
        const schema: JsonSchema = { $defs, properties: { a: { $ref: '#/$defs/d0' } } }
        const shown = sanitizeSchema(schema, { provider }).schema
        expect(JSON.stringify(shown).length).toBeLessThan(most(schema))
      }),
      runs(500),
    )
  }, 60_000)
})
