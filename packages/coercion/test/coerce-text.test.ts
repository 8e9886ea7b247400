import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createCoercer, parseArguments, type Coercer, type TextCoercion } from '../src/index.ts'
import { hostileSchema, hostileValue } from './support/hostile.ts'
import { runs } from './support/runs.ts'
import { validCase } from './support/schemas.ts'

/** What `coerceText` promises to be, made of its two parts. */
function inTwoSteps({ coerce }: Coercer, text: string, bigints: 'text' | 'bigint'): TextCoercion {
  const read = parseArguments(text, { bigints })
  if (!read.ok) {
    const { fault } = read
    const error = {
      path: '',
      constraint: fault.kind,
      got: `a text that cannot be read: ${fault.message}`,
      expected: 'a JSON object',
    }
    return { value: text, valid: false, errors: [error], repairs: [], fault }
  }
  const coercion = coerce(read.value)
  return { ...coercion, repairs: [...read.repairs, ...coercion.repairs] }
}

function expectEqual(schema: unknown, text: string, bigints: 'text' | 'bigint' = 'text'): void {
  const coercer = createCoercer(schema as JsonSchema)
  // Also when the coercer has seen a call, and text where a number fits.
  for (let call = 0; call < 2; call++) {
    expect(coercer.coerceText(text, { bigints })).toEqual(inTwoSteps(coercer, text, bigints))
  }
}

/** What stands in a JSON text and is lost, or refused, where it is not read with care. */
const wild = fc.constantFrom(
  '9007199254740993',
  '-9007199254740993',
  '1e400',
  '1e16',
  '0.1',
  '"9e99"',
  '{"__proto__":1}',
  '{"\\u005f_proto__":{"a":1}}',
  '[9007199254740993]',
  '[[{"b":18446744073709551615}]]',
  `${'['.repeat(201)}${']'.repeat(201)}`,
)

/** The text with one of its values, or a new field in one of its objects, replaced by another. */
function withPart(text: string, part: string, place: number): string {
  const places = [
    ...text.matchAll(/(?<=[{])|(?<=[:[,])(?:-?\d[\d.e+-]*|true|false|null|"\w*")(?=[,\]}])/g),
  ]
  const found = places[place % Math.max(1, places.length)]
  if (found === undefined) return text
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  if (!before.endsWith('{') || found[0] !== '') return before + part + after
  return `${before}"new":${part}${after.startsWith('}') ? '' : ','}${after}`
}

const field = (schema: unknown): { readonly [keyword: string]: unknown } => ({
  type: 'object',
  properties: { x: schema },
})

describe('coerceText', { timeout: 240_000 }, () => {
  it('is parseArguments and coerce, for texts that fit and texts with what JSON.parse would lose', () => {
    fc.assert(
      fc.property(
        validCase,
        wild,
        fc.nat(),
        fc.boolean(),
        ({ schema, value }, part, place, big) => {
          const text = JSON.stringify(value)
          expectEqual(schema, text)
          expectEqual(schema, withPart(text, part, place), big ? 'bigint' : 'text')
        },
      ),
      runs(4000),
    )
  })

  it('is that for hostile schemas and texts, too', () => {
    fc.assert(
      fc.property(hostileSchema, hostileValue, wild, fc.nat(), (schema, value, part, place) => {
        const text = JSON.stringify({ x: value, a: value })
        expectEqual(schema, text)
        expectEqual(schema, withPart(text, part, place))
        expectEqual(schema, text.slice(0, -1))
      }),
      runs(4000),
    )
  })

  it('keeps the digits of integers that a double would change, wherever they stand', () => {
    const list = { type: 'array', items: { type: 'integer' } }
    const number = { type: 'number' }
    const orNull = { type: ['integer', 'null'] }
    for (const schema of [{ type: 'integer' }, number, orNull, list, { $ref: '#' }, true]) {
      for (const digits of ['9007199254740993', '-9007199254740993']) {
        for (const x of [digits, `[${digits}]`, `{"x":${digits}}`, `{"new":${digits}}`]) {
          const { value } = createCoercer(field(schema)).coerceText(`{"x":${x}}`)
          expect(JSON.stringify(value)).toContain(`"${digits}"`)
        }
      }
    }
    const digits = '9007199254740993'
    const tuple = { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'string' } }
    const { value } = createCoercer(field(tuple)).coerceText(`{"x":[${digits},"a"]}`)
    expect(value).toEqual({ x: [digits, 'a'] })
    const { coerceText } = createCoercer(field({ type: 'integer' }))
    expect(coerceText(`{"x":1,"new":${digits}}`).value).toEqual({ x: 1, new: digits })
    expect(coerceText(`{"x":${digits}}`, { bigints: 'bigint' }).value).toEqual({
      x: BigInt(digits),
    })
  })

  it('gives bigints out of JSON text inside arguments, too', () => {
    const { coerceText } = createCoercer(field(field({ type: 'integer' })))
    const x = { x: 9007199254740993n }
    for (const text of ['{"x":{"x":9007199254740993}}', '{"x":"{\\"x\\":9007199254740993}"}']) {
      expect(coerceText(text, { bigints: 'bigint' })).toMatchObject({ value: { x }, valid: true })
      expect(coerceText(text).value).toEqual({ x: { x: '9007199254740993' } })
    }
  })

  it('leaves out a key `__proto__`, and tells a name that every object inherits from a field', () => {
    const { coerceText } = createCoercer(field({ type: 'integer' }))
    expect(coerceText('{"x":1,"__proto__":{"y":1}}').value).toEqual({ x: 1 })
    const inherited = { type: 'object', properties: { toString: { type: 'integer' } } }
    const { value } = createCoercer(inherited).coerceText('{"new":9007199254740993}')
    expect(value).toEqual({ new: '9007199254740993' })
  })

  it('says what was done to the text, then what was done to the arguments', () => {
    const { coerceText } = createCoercer(field({ type: 'integer' }))
    const { value, valid, repairs } = coerceText("{'x': '1',}")
    expect({ value, valid }).toEqual({ value: { x: 1 }, valid: true })
    expect(repairs.map(({ path, rule }) => [path, rule])).toEqual([
      ['', 'relaxed'],
      ['/x', 'text-to-number'],
    ])
  })

  it('says why a text cannot be read', () => {
    const { coerceText } = createCoercer(field({ type: 'integer' }))
    expect(coerceText('{"x":1')).toEqual({
      value: '{"x":1',
      valid: false,
      errors: [
        {
          path: '',
          constraint: 'truncated',
          got: 'a text that cannot be read: truncated at 6',
          expected: 'a JSON object',
        },
      ],
      repairs: [],
      fault: { kind: 'truncated', message: 'truncated at 6', position: 6 },
    })
    expect(coerceText('[1]').fault?.kind).toBe('not_object')
    expect(createCoercer(undefined).coerceText('{"x":').fault?.kind).toBe('truncated')
    for (const text of [undefined, null, 5, { x: 1 }, ['{"x":1}']]) {
      const { value, fault } = coerceText(text as unknown as string)
      expect(value).toBe(text)
      expect(fault).toEqual({ kind: 'not_json', message: 'No text' })
    }
  })

  it('reads as deep as parseArguments, in a schema of the same depth, too', () => {
    let schema: { readonly [keyword: string]: unknown } = { type: 'object' }
    for (let level = 0; level < 200; level++) schema = field(schema)
    const deep = (levels: number): string =>
      `${'{"x":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
    for (const levels of [199, 200, 201, 202]) expectEqual(schema, deep(levels))
    for (const levels of [199, 200, 201]) expectEqual(field({}), deep(levels))
    const lists = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    let list: object = {}
    for (let level = 0; level < 100; level++) list = { type: 'array', items: list }
    let around = list
    for (let level = 0; level < 50; level++) around = field(around)
    for (const levels of [149, 150, 151]) {
      expectEqual(around, `${'{"x":'.repeat(50)}${lists(levels)}${'}'.repeat(50)}`)
      expectEqual(around, `${'{"x":'.repeat(49)}{"new":${lists(levels)}}${'}'.repeat(49)}`)
    }
  })
})
