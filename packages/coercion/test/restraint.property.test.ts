import { isDeepStrictEqual } from 'node:util'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createCoercer } from '../src/index.ts'
import { replaceOne } from './support/choices.ts'
import { runs } from './support/runs.ts'
import { validCase } from './support/schemas.ts'

describe('what needs no repair', { timeout: 240_000 }, () => {
  it('a valid value comes back as the same reference', () => {
    fc.assert(
      fc.property(validCase, ({ schema, value }) => {
        const result = createCoercer(schema).coerce(value)
        expect(result).toEqual({ value, valid: true, errors: [], repairs: [] })
        expect(result.value).toBe(value)
      }),
      runs(2000),
    )
  })

  it('coercion is idempotent', () => {
    fc.assert(
      fc.property(validCase, fc.jsonValue(), fc.nat(), ({ schema, value }, junk, place) => {
        const coercer = createCoercer(schema)
        const once = coercer.coerce(replaceOne(value, junk, place))
        const twice = coercer.coerce(once.value)
        expect(twice.value).toBe(once.value)
        expect(twice.valid).toBe(once.valid)
        expect(twice.repairs).toEqual([])
      }),
      runs(2000),
    )
  })

  it('a field whose value fits is left alone, whatever the others are', () => {
    fc.assert(
      fc.property(validCase, fc.jsonValue(), fc.nat(), ({ schema, value }, junk, place) => {
        const fields = value as Record<string, unknown>
        const broken = replaceOne(fields, junk, place) as Record<string, unknown>
        const result = createCoercer(schema).coerce(broken).value as Record<string, unknown>
        for (const name of Object.keys(fields)) {
          if (broken[name] === fields[name]) expect(result[name]).toBe(fields[name])
        }
      }),
      runs(2000),
    )
  })

  it('equal arguments come back as the same reference, and nothing is mutated', () => {
    fc.assert(
      fc.property(validCase, fc.jsonValue(), ({ schema }, junk) => {
        const before = structuredClone(junk)
        const { value } = createCoercer(schema).coerce(junk)
        expect(junk).toEqual(before)
        if (isDeepStrictEqual(value, junk)) expect(value).toBe(junk)
      }),
      runs(2000),
    )
  })
})
