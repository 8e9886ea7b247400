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
