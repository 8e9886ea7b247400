import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createCoercer } from '../src/index.ts'

describe('a value with fields that every object inherits', () => {
  const odd: readonly unknown[] = [
    { toString: null },
    { valueOf: 'x' },
    { constructor: null, a: 1 },
  ]

  it.each<[string, JsonSchema, string]>([
    ['a const', { const: { a: 1 } }, 'const'],
    ['an enum', { enum: [null, 'a', { a: 1 }] }, 'enum'],
    ['a list in an enum', { enum: [null, [{ a: 1 }]] }, 'enum'],
    ['branches', { anyOf: [{ const: { a: 1 } }, { enum: [{ b: 1 }] }] }, 'anyOf'],
  ])('is told from the members of %s', (_what, schema, constraint) => {
    const { coerce } = createCoercer({ properties: { x: schema } })
    for (const value of odd) {
      for (const x of [value, [value]]) {
        expect(coerce({ x }).errors).toMatchObject([{ path: '/x', constraint }])
      }
    }
  })

  it('fits the branch that takes it, whatever the others list', () => {
    const { coerce } = createCoercer({ anyOf: [{ const: { a: 1 } }, { type: 'object' }] })
    for (const value of odd) expect(coerce(value).value).toBe(value)
    for (const value of odd) expect(coerce(value).valid).toBe(true)
  })

  it('equals a member with the same fields, in whatever order', () => {
    const { coerce } = createCoercer({ const: { toString: 1, b: [{ a: null }] } })
    expect(coerce({ b: [{ a: null }], toString: 1 }).valid).toBe(true)
  })
})

describe('patterns of names beside a union with a closed branch', () => {
  const closed = { type: 'object', properties: { a: {} }, additionalProperties: false }
  const open = { required: ['q'] }

  it.each<[string, JsonSchema]>([
    ['anyOf', { anyOf: [closed, open] }],
    ['anyOf, the other way round', { anyOf: [open, closed] }],
    ['oneOf', { oneOf: [closed, open] }],
    ['anyOf inside', { oneOf: [{ anyOf: [closed] }, open] }],
  ])('take what fits the other branch, and say what fits none: %s', (_what, union) => {
    const { coerce } = createCoercer({ patternProperties: { '^x': {} }, ...(union as object) })
    expect(coerce({ q: 1, x1: 2 })).toMatchObject({ valid: true })
    expect(coerce({ a: 1 })).toMatchObject({ valid: true })
    const [error, ...others] = coerce({ x1: 2 }).errors
    expect(others).toEqual([])
    expect(error!.constraint).toMatch(/Of$/)
  })

  it('are evaluated where something is said of what is not', () => {
    const { coerce } = createCoercer({
      patternProperties: { '^x': {} },
      allOf: [{ properties: { a: {} } }],
      unevaluatedProperties: false,
    })
    expect(coerce({ x1: 2, a: 1 }).valid).toBe(true)
    expect(coerce({ y: 2 }).errors).toMatchObject([{ constraint: 'unevaluatedProperties' }])
  })
})

describe('a name that every object inherits', () => {
  const open = { properties: { a: {} } }

  it.each<[string, object]>([
    ['patternProperties', { patternProperties: { '^x': {} } }],
    ['anyOf', { anyOf: [open, { required: ['q'] }] }],
    ['oneOf', { oneOf: [open, { required: ['q'] }] }],
    ['if', { if: { required: ['q'] }, then: open, else: open }],
    ['a reference', { allOf: [{ $ref: '#/$defs/u' }], $defs: { u: { anyOf: [open] } } }],
  ])('is evaluated by nothing that does not name it: %s', (_what, schema) => {
    const { coerce } = createCoercer({ ...schema, unevaluatedProperties: false })
    for (const name of ['constructor', 'toString', 'other']) {
      const { valid, errors } = coerce({ [name]: 1 })
      expect(valid).toBe(false)
      expect(errors[0]?.constraint).toBe('unevaluatedProperties')
    }
    expect(coerce({}).valid).toBe(true)
  })
})

describe('a declared field without a name', () => {
  it('is missed where it is required', () => {
    const properties = { '': { type: 'integer' }, a: {} } as const
    const required = createCoercer({ type: 'object', properties, required: [''] })
    expect(required.coerce({ '': 1 }).valid).toBe(true)
    expect(required.coerce({ a: 1 }).errors).toMatchObject([{ path: '', constraint: 'required' }])
    const dependent = createCoercer({ type: 'object', properties, dependentRequired: { a: [''] } })
    expect(dependent.coerce({ a: 1 }).valid).toBe(false)
    expect(dependent.coerce({}).valid).toBe(true)
  })
})

describe('a multiple of a decimal', () => {
  const takes = (multipleOf: number, value: unknown): boolean =>
    createCoercer({ type: 'number', multipleOf }).coerce(value).valid

  it.each([0.01, 0.1, 0.001, 0.05, 0.25, 1e-7])('is one by its decimals: of %d', (step) => {
    const perOne = Math.round(1 / step)
    const refused = Array.from({ length: 3000 }, (_, count) => count / perOne).filter(
      (value) => !takes(step, value) || !takes(step, -value),
    )
    expect(refused).toEqual([])
  })

  it('may have more digits, or be long', () => {
    expect(takes(0.5, 4_503_599_627_370_495.5)).toBe(true)
    expect(takes(0.01, 123_456_789_012.34)).toBe(true)
    expect(takes(1.5, 3e15)).toBe(true)
  })

  it.each([
    [0.01, 0.075],
    [0.01, 0.0700001],
    [0.01, 1e-20],
    [0.01, 0.070_000_000_000_01],
    [0.5, 1.000_000_000_000_000_2],
    [0.5, 1_000_000_000_000_000.25],
    [0.3, 1],
    [1e-7, 1.5e-7],
    [0.01, 1e308],
    [3, 9_007_199_254_740_992],
    [4, 9_007_199_254_740_990],
    [1, 1.000_000_000_000_000_2],
    [5, 5.000001],
  ])('of %d is not %d', (step, value) => {
    expect(takes(step, value)).toBe(false)
  })

  it('counts in a union, in a list and as text too', () => {
    const price = { type: 'number', multipleOf: 0.01 }
    const { coerce } = createCoercer({
      properties: { a: { anyOf: [price, { type: 'null' }] }, b: { type: 'array', items: price } },
    })
    expect(coerce({ a: '0.29', b: [0.07, '0.58'] })).toMatchObject({
      valid: true,
      value: { a: 0.29, b: [0.07, 0.58] },
    })
    expect(coerce({ b: [0.075] }).errors).toMatchObject([
      { path: '/b/0', constraint: 'multipleOf', expected: 'multipleOf 0.01' },
    ])
  })
})
