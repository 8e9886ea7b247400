import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createCoercer } from '../src/index.ts'

describe('one coercer for many calls', () => {
  it('judges each by itself, whatever the one before needed', () => {
    const item = { type: 'object', properties: { n: { type: 'integer' } } }
    const properties = { n: { type: 'integer' }, list: { type: 'array', items: item } }
    const coercer = createCoercer({ type: 'object', properties })
    const valid = { n: 1, list: [{ n: 2 }] }
    const accepted = { value: valid, valid: true, errors: [], repairs: [] }
    for (let round = 0; round < 3; round++) {
      const spelled = coercer.coerce({ n: '1', list: [{ n: 3 }, { n: '2' }] })
      expect(spelled).toEqual({
        value: { n: 1, list: [{ n: 3 }, { n: 2 }] },
        valid: true,
        errors: [],
        repairs: [
          { path: '/n', from: '1', to: 1, rule: 'text-to-number' },
          { path: '/list/1/n', from: '2', to: 2, rule: 'text-to-number' },
        ],
      })
      expect(coercer.coerce(valid)).toEqual(accepted)
      expect(coercer.coerce(valid).value).toBe(valid)
      expect(coercer.coerce({ n: '1', list: '[{"n":"2"}]' }).value).toEqual(valid)
      expect(coercer.coerce({ n: '1' }).value).toEqual({ n: 1 })
      expect(coercer.coerce({ n: 'one' })).toMatchObject({ valid: false, repairs: [] })
      expect(coercer.coerce({ n: '1', list: 5.5 })).toMatchObject({
        valid: false,
        errors: [{ path: '/list' }],
      })
    }
  })
})

describe('schemas of many properties', () => {
  it.each([500, 1000, 2400])('of %i are checked and repaired', (count) => {
    const names = Array.from({ length: count }, (_, n) => `p${n}`)
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
    const coercer = createCoercer({ type: 'object', properties, additionalProperties: false })
    const valid = { p1: 5 }
    expect(coercer.coerce(valid).value).toBe(valid)
    expect(coercer.coerce({ [`p${count - 1}`]: '5' })).toMatchObject({ valid: true })
    expect(coercer.coerce({ q: 1 }).errors).toMatchObject([{ constraint: 'additionalProperties' }])
  })
})

describe('more schemas than are held at once', () => {
  it('are all checked and repaired, again and again', () => {
    const coercers = Array.from({ length: 1500 }, (_, n) =>
      createCoercer({ type: 'object', properties: { n: { type: 'integer', maximum: n } } }),
    )
    for (let round = 0; round < 2; round++) {
      for (const [n, coercer] of coercers.entries()) {
        expect(coercer.coerce({ n: String(n) })).toMatchObject({ value: { n }, valid: true })
        expect(coercer.coerce({ n: n + 1 }).valid).toBe(false)
        // One that is used all the time.
        expect(coercers[0]!.coerce({ n: '0' }).value).toEqual({ n: 0 })
      }
    }
  })
})

describe('schemas that are equal as JSON', () => {
  const good = { type: 'object', properties: { n: { const: null } } }

  it.each([
    ['a keyword that is undefined', { ...good, required: undefined }],
    ['a number that JSON does not have', { type: 'object', properties: { n: { const: NaN } } }],
    ['a function', { ...good, minProperties: () => 1 }],
    ['a toJSON', { type: 'object', properties: { n: { toJSON: () => ({ const: null }) } } }],
  ])('are one, whichever comes first: %s', (name, schema) => {
    const title = { title: name }
    for (const one of [
      { ...schema, ...title },
      { ...good, ...title },
    ]) {
      const { coerce } = createCoercer(one as JsonSchema)
      expect(coerce({ n: null })).toMatchObject({ value: { n: null }, valid: true })
      expect(coerce({ n: 5 }).valid).toBe(false)
    }
  })
})
