import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createCoercer, sanitizeSchema, unrename } from '../src/index.ts'
import { chooser, replaceOne, seeds } from './support/choices.ts'
import { encode, showNames, wrap } from './support/encode.ts'
import { runs } from './support/runs.ts'
import { validCase, type Schema } from './support/schemas.ts'

/** A validator that shares nothing with the package. */
function fits(schema: Schema, value: unknown): boolean {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    validateSchema: false,
    meta: false,
  })
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', validate: isMultiple })
  return ajv.compile(schema)(value)
}

/** As the README says: by the decimals, to 15 digits. All generated multiples are of decimals. */
function isMultiple(of: number, value: number): boolean {
  const nearest = Math.round(value / of) * of
  return value === nearest || value === Number(nearest.toPrecision(15))
}

describe('for generated schemas and values', { timeout: 240_000 }, () => {
  it('a value that was encoded as JSON text at any depth comes back equal', () => {
    fc.assert(
      fc.property(validCase, seeds, ({ schema, value }, seed) => {
        const sent = encode(schema, schema, value, chooser(seed))
        const result = createCoercer(schema).coerce(sent)
        expect(result.value).toEqual(value)
        expect(result.valid).toBe(true)
      }),
      runs(4000),
    )
  })

  it('a value under the shown names comes back under its own, encoded or not', () => {
    fc.assert(
      fc.property(validCase, seeds, ({ schema, value }, seed) => {
        const shown = sanitizeSchema(schema, { provider: 'bedrock' }).schema as Schema
        const renamed = showNames(schema, shown, schema, shown, value)
        expect(unrename(schema, renamed)).toEqual(value)
        const sent = encode(shown, shown, renamed, chooser(seed))
        const result = createCoercer(schema, { provider: 'bedrock' }).coerce(sent)
        expect(result.value).toEqual(value)
        expect(result.valid).toBe(true)
      }),
      runs(2000),
    )
  })

  it('a value whose lists, or the whole of it, were wrapped comes back equal', () => {
    fc.assert(
      fc.property(validCase, seeds, ({ schema, value }, seed) => {
        const { coerce } = createCoercer(schema)
        const wrapped = wrap(schema, schema, value, chooser(seed))
        expect(coerce(wrapped)).toMatchObject({ value, valid: true })
        // What the tool does not require cannot be told from what it does not know.
        const whole = schema.required?.length ? { arguments: wrapped } : wrapped
        expect(coerce(whole)).toMatchObject({ value, valid: true })
      }),
      runs(2000),
    )
  })

  it('a result that is reported as valid is valid, and one that is not is not', () => {
    fc.assert(
      fc.property(validCase, fc.jsonValue(), fc.nat(), ({ schema, value }, junk, place) => {
        const result = createCoercer(schema).coerce(replaceOne(value, junk, place))
        expect(result.valid).toBe(fits(schema, result.value))
        expect(result.errors.length > 0).toBe(!result.valid)
      }),
      runs(1000),
    )
  })

  it('a schema with a renamed name, which no generated code reads, gives the same', () => {
    fc.assert(
      fc.property(
        validCase,
        seeds,
        fc.jsonValue(),
        fc.nat(),
        ({ schema, value }, seed, junk, place) => {
          const sent = replaceOne(encode(schema, schema, value, chooser(seed)), junk, place)
          const other = { ...schema, properties: { ...schema.properties, 'quite another~': {} } }
          const expected = createCoercer(other).coerce(sent)
          const { value: coerced, valid, repairs } = createCoercer(schema).coerce(sent)
          expect({ coerced, valid, repairs }).toEqual({
            coerced: expected.value,
            valid: expected.valid,
            repairs: expected.repairs,
          })
        },
      ),
      runs(2000),
    )
  })
})
