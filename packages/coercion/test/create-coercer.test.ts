import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createCoercer } from '../src/index.ts'

type Json = { readonly [keyword: string]: unknown }

function field(schema: unknown, extra: Json = {}): Json {
  return { type: 'object', properties: { x: schema }, ...extra }
}

/** Coerces one field. */
function coerce(schema: unknown, x: unknown, extra: Json = {}): unknown {
  return (createCoercer(field(schema, extra)).coerce({ x }).value as { x: unknown }).x
}

describe('the walk', () => {
  it('goes through patternProperties, propertyNames and additionalProperties', () => {
    const schema = {
      type: 'object',
      properties: { k: { type: 'string' } },
      patternProperties: { '^n_': { type: 'integer' } },
      additionalProperties: { type: 'boolean' },
    }
    const { value, valid } = createCoercer(schema).coerce({ k: '1', n_a: '1', z: 'true' })
    expect(value).toEqual({ k: '1', n_a: 1, z: true })
    expect(valid).toBe(true)
  })

  it('goes through then or else, whichever applies', () => {
    const schema = {
      type: 'object',
      properties: { kind: { type: 'string' } },
      if: { properties: { kind: { const: 'n' } } },
      then: { properties: { v: { type: 'integer' } } },
      else: { properties: { v: { type: 'boolean' } } },
    }
    const coercer = createCoercer(schema)
    expect(coercer.coerce({ kind: 'n', v: '1' }).value).toEqual({ kind: 'n', v: 1 })
    expect(coercer.coerce({ kind: 'b', v: 'true' }).value).toEqual({ kind: 'b', v: true })
  })

  it('goes through schemas that depend on a property', () => {
    const schema = {
      type: 'object',
      dependentSchemas: { a: { properties: { b: { type: 'integer' } } } },
    }
    expect(createCoercer(schema).coerce({ a: 1, b: '2' }).value).toEqual({ a: 1, b: 2 })
    expect(createCoercer(schema).coerce({ b: '2' }).value).toEqual({ b: '2' })
  })

  it('uses the schema of the entries behind a tuple', () => {
    const schema = { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } }
    expect(coerce(schema, ['1', '2', '3'])).toEqual(['1', 2, 3])
  })

  it('takes the branch of a union that ends up valid', () => {
    const schema = {
      anyOf: [
        { type: 'object', properties: { n: { type: 'integer', minimum: 10 } }, required: ['n'] },
        { type: 'object', properties: { n: { type: 'boolean' } }, required: ['n'] },
      ],
    }
    expect(coerce(schema, { n: '12' })).toEqual({ n: 12 })
    expect(coerce(schema, { n: 'true' })).toEqual({ n: true })
    expect(coerce(schema, { n: '5' })).toEqual({ n: '5' })
  })

  it('coerces with the only branch that accepts the type, even where the result is not valid', () => {
    const object = {
      type: 'object',
      properties: { n: { type: 'integer' }, m: { type: 'integer' } },
    }
    expect(coerce({ anyOf: [object, { type: 'null' }] }, { n: '1', m: 'x' })).toEqual({
      n: 1,
      m: 'x',
    })
  })

  it('goes into a tree of unions as deep as the data', () => {
    const schema = {
      $ref: '#/$defs/expr',
      $defs: {
        expr: {
          oneOf: [
            {
              type: 'object',
              properties: { op: { const: 'num' }, v: { type: 'number' } },
              required: ['op', 'v'],
            },
            {
              type: 'object',
              properties: {
                op: { const: 'add' },
                l: { $ref: '#/$defs/expr' },
                r: { $ref: '#/$defs/expr' },
              },
              required: ['op', 'l', 'r'],
            },
          ],
        },
      },
    }
    const tree = (depth: number, leaf: unknown): unknown =>
      depth === 0
        ? { op: 'num', v: leaf }
        : { op: 'add', l: tree(depth - 1, leaf), r: tree(depth - 1, leaf) }
    const result = createCoercer(schema).coerce(tree(8, '1'))
    expect(result.value).toEqual(tree(8, 1))
    expect(result.valid).toBe(true)
    expect(result.repairs).toHaveLength(256)
  })

  it('goes into two schemas at once that lead back to themselves', () => {
    const part = (name: string): JsonSchema => ({
      type: 'object',
      properties: { x: { $ref: `#/$defs/${name}` }, n: { type: 'integer' } },
    })
    const schema = {
      $defs: { a: part('a'), b: part('b') },
      allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    }
    const { value, valid } = createCoercer(schema).coerce({ x: { x: { n: '5' } } })
    expect({ value, valid }).toEqual({ value: { x: { x: { n: 5 } } }, valid: true })
  })

  it('takes no list and no text for an object with names like places', () => {
    const schema = { type: 'object', properties: { 0: { type: 'integer' } } } as const
    expect(createCoercer(schema).coerce(['5'])).toMatchObject({ value: ['5'], valid: false })
    expect(createCoercer(schema).coerce('5')).toMatchObject({ value: '5', valid: false })
  })

  it('leaves what lies deeper than the limit', () => {
    const schema = {
      $ref: '#/$defs/n',
      $defs: {
        n: { type: 'object', properties: { v: { type: 'integer' }, n: { $ref: '#/$defs/n' } } },
      },
    }
    const coercer = createCoercer(schema, { limits: { depth: 2 } })
    expect(coercer.coerce({ v: '1', n: { v: '2', n: { v: '3' } } }).value).toEqual({
      v: 1,
      n: { v: 2, n: { v: '3' } },
    })
    const fields = field({ type: 'object', properties: { v: { type: 'integer' } } })
    const args = { x: { v: '1' } }
    expect(createCoercer(fields, { limits: { depth: 1 } }).coerce(args).value).toBe(args)
    expect(createCoercer(fields).coerce(args).value).toEqual({ x: { v: 1 } })
  })

  it('leaves JSON text that is longer than the limit', () => {
    const coercer = createCoercer(field({ type: 'array' }), { limits: { bytes: 5 } })
    expect(coercer.coerce({ x: '[1,2,3]' }).value).toEqual({ x: '[1,2,3]' })
    expect(coercer.coerce({ x: '[1,2]' }).value).toEqual({ x: [1, 2] })
  })

  it('leaves whole-valued text beyond the safe range, and reads fractions and exponents', () => {
    expect(coerce({ type: 'number' }, '9007199254740993.0')).toBe('9007199254740993.0')
    expect(coerce({ type: 'number' }, '+1.5e-3')).toBe(0.0015)
    expect(coerce({ type: 'integer' }, '-0')).toBe(0)
    expect(coerce({ type: 'number' }, '-0.0')).toBe(0)
    expect(coerce({ type: 'number' }, '1e-400')).toBe('1e-400')
    expect(coerce({ type: 'number' }, '1e400')).toBe('1e400')
    expect(coerce({ type: 'integer' }, '٤٢')).toBe('٤٢')
  })

  it('wraps a value for the list in a union', () => {
    expect(
      coerce({ anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] }, '5'),
    ).toEqual([5])
    const lists = [
      { type: 'array', items: { type: 'integer' } },
      { type: 'array', items: { type: 'string' } },
    ]
    expect(coerce({ anyOf: lists }, 'a')).toEqual(['a'])
    expect(coerce({ anyOf: lists }, '5')).toBe('5')
  })

  it('does not wrap text that looks like a list that was cut, nor blank text, nor null', () => {
    const list = { type: 'array', items: { type: 'string' } }
    for (const text of ['["a"', '{"a"', '"a', '```\n[', '', '  '])
      expect(coerce(list, text)).toBe(text)
    expect(coerce(list, null, { required: ['x'] })).toBe(null)
  })

  it.each([
    [{ enum: [[1]] }, [2]],
    [{ const: [1, 2] }, [1]],
    [{ enum: ['x', ['x', 'y']] }, { q: 1 }],
    [{ enum: [['a']], anyOf: [{ type: 'array' }, { type: 'null' }] }, 'b'],
  ])('does not wrap for %j where the list would not be among the values', (schema, x) => {
    const args = { x }
    const result = createCoercer(field(schema)).coerce(args)
    expect(result).toMatchObject({ valid: false, repairs: [] })
    expect(result.value).toBe(args)
  })

  it('wraps what makes one of the listed lists', () => {
    expect(coerce({ enum: [[1], ['a']] }, 'a')).toEqual(['a'])
    expect(coerce({ const: [1] }, 1)).toEqual([1])
  })

  it.each([{}, { 'y z': {} }])('gives NaN back as it came, beside %j', (others) => {
    const inner = { type: 'object', properties: { n: { type: 'integer' } } }
    const properties = { n: { type: 'integer' }, s: { type: 'string' }, inner, ...others }
    const list = { type: 'array', items: { type: 'integer' } }
    const coercer = createCoercer({ type: 'object', properties: { ...properties, list } })
    for (const name of Object.keys(properties)) {
      const args = { [name]: Number.NaN }
      expect(coercer.coerce(args).value).toBe(args)
    }
    const args = { list: [Number.NaN] }
    expect(coercer.coerce(args).value).toBe(args)
  })

  it('accepts bigints as integers', () => {
    const coercer = createCoercer(field({ type: 'integer', minimum: 5 }))
    expect(coercer.coerce({ x: 9007199254740993n })).toEqual({
      value: { x: 9007199254740993n },
      valid: true,
      errors: [],
      repairs: [],
    })
    expect(coercer.coerce({ x: 1n }).errors).toMatchObject([{ path: '/x', constraint: 'minimum' }])
    expect(coerce({ type: 'string' }, 9007199254740993n)).toBe('9007199254740993')
  })

  it('spends as much on arguments with bigints as on others of that length', () => {
    const item = {
      type: 'object',
      properties: { n: { type: 'integer' }, gone: { type: 'integer' } },
    }
    const { coerce: run } = createCoercer({ type: 'array', items: item })
    const args = Array.from({ length: 140_000 }, () => ({ n: 1n, gone: null }))
    expect(run(args)).toMatchObject({ valid: true, errors: [] })
  })

  it('keeps an own __proto__ of native arguments as data', () => {
    const args = JSON.parse('{"x":"1","__proto__":{"admin":true}}') as unknown
    const { value } = createCoercer(field({ type: 'integer' })).coerce(args)
    expect(Object.keys(value as object)).toEqual(['x', '__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})

describe('null', () => {
  const spellings: readonly unknown[] = [
    { type: ['integer', 'null'] },
    { type: 'integer', nullable: true },
    { type: 'integer', 'x-nullable': true },
    { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    { oneOf: [{ type: 'integer' }, { const: null }] },
    { anyOf: [{ type: 'integer' }, { enum: [null] }] },
    { $ref: '#/$defs/i', nullable: true },
    { allOf: [{ type: 'integer' }], nullable: true },
    { anyOf: [{ $ref: '#/$defs/i' }, { $ref: '#/$defs/nothing' }] },
  ]

  it.each(spellings)('fits %j, as a word too', (schema) => {
    const $defs = { i: { type: 'integer' }, nothing: { type: 'null' } }
    const coercer = createCoercer(field(schema, { $defs, required: ['x'] }))
    expect(coercer.coerce({ x: null })).toMatchObject({ value: { x: null }, valid: true })
    expect(coercer.coerce({ x: 'null' })).toMatchObject({ value: { x: null }, valid: true })
    expect(coercer.coerce({ x: '5' })).toMatchObject({ value: { x: 5 }, valid: true })
  })

  it('under the exact name means absent where it is forbidden, and hides no value', () => {
    const schema = { type: 'object', properties: { 'page size': { type: 'string' } } } as const
    const repairs = [
      { path: '/page size', from: null, to: undefined, rule: 'drop-null' },
      { path: '/page size', from: 'page_size', to: 'page size', rule: 'rename' },
    ]
    const expected = { value: { 'page size': 'x' }, valid: true, errors: [], repairs }
    const coercer = createCoercer(schema)
    expect(coercer.coerce({ 'page size': null, page_size: 'x' })).toEqual(expected)
    expect(coercer.coerce({ page_size: 'x', 'page size': null })).toEqual(expected)
    const required = createCoercer({ ...schema, required: ['page size'] })
    const both = { 'page size': null, page_size: 'x' }
    expect(required.coerce(both)).toMatchObject({ value: both, valid: false, repairs: [] })
  })

  it('is left out by the branch that knows most of the names', () => {
    const branch = (...names: string[]): object => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    })
    const x = { anyOf: [branch('from', 'to'), branch('days', 'to')] }
    const coercer = createCoercer(field(x))
    expect(coercer.coerce({ x: { from: null, to: null } })).toMatchObject({ value: { x: {} } })
    expect(coercer.coerce({ x: { from: null, to: 'b' } }).repairs).toEqual([])
    const unclear = { x: { from: null, days: null, to: null } }
    expect(coercer.coerce(unclear).value).toBe(unclear)
  })

  it('stays where a branch takes it, also where another has names to restore', () => {
    const named = { type: 'object', properties: { 'a b': {}, n: { type: 'string' } } }
    const coercer = createCoercer(field({ anyOf: [named, { required: ['n'] }] }))
    const args = { x: { n: null } }
    expect(coercer.coerce(args).value).toBe(args)
  })

  it('is no member of an enum that does not list it', () => {
    const schema = { type: 'string', nullable: true, enum: ['a'] }
    expect(createCoercer(field(schema, { required: ['x'] })).coerce({ x: null }).valid).toBe(false)
  })
})

describe('drafts', () => {
  it('reads draft 04: exclusive flags, id, definitions, tuples, dependencies', () => {
    const coercer = createCoercer({
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'http://example.test/tool',
      type: 'object',
      definitions: { n: { type: 'integer', minimum: 1, exclusiveMinimum: true } },
      properties: {
        n: { $ref: '#/definitions/n' },
        pair: { type: 'array', items: [{ type: 'integer' }], additionalItems: false },
      },
      dependencies: { n: ['pair'] },
    })
    expect(coercer.coerce({ n: '2', pair: ['1'] })).toMatchObject({
      value: { n: 2, pair: [1] },
      valid: true,
    })
    expect(coercer.coerce({ n: 1, pair: [1] }).errors).toMatchObject([
      { path: '/n', constraint: 'exclusiveMinimum' },
    ])
    expect(coercer.coerce({ n: 2 }).errors).toMatchObject([{ constraint: 'dependentRequired' }])
    expect(coercer.coerce({ pair: [1, 2] }).valid).toBe(false)
  })

  it('ignores what stands beside a reference up to draft 07, and not later', () => {
    const schema = (draft: string): Json => ({
      $schema: draft,
      ...field(
        { $ref: '#/definitions/t', maxLength: 1 },
        { definitions: { t: { type: 'string' } } },
      ),
    })
    const old = createCoercer(schema('http://json-schema.org/draft-07/schema#'))
    const recent = createCoercer(schema('https://json-schema.org/draft/2019-09/schema'))
    expect(old.coerce({ x: 'long' }).valid).toBe(true)
    expect(recent.coerce({ x: 'long' }).valid).toBe(false)
  })

  it('checks unevaluated properties behind allOf', () => {
    const coercer = createCoercer({
      allOf: [{ type: 'object', properties: { a: { type: 'integer' } } }],
      unevaluatedProperties: false,
    })
    expect(coercer.coerce({ a: '1' })).toMatchObject({ value: { a: 1 }, valid: true })
    expect(coercer.coerce({ a: 1, b: 2 }).errors).toMatchObject([
      { path: '', constraint: 'unevaluatedProperties', got: 'the unknown field "b"' },
    ])
  })
})

describe('odd schemas', () => {
  it('leaves everything alone without a schema', () => {
    for (const schema of [undefined, true]) {
      const args = { a: '1' }
      expect(createCoercer(schema).coerce(args)).toEqual({
        value: args,
        valid: true,
        errors: [],
        repairs: [],
      })
    }
  })

  it('accepts nothing for the schema false', () => {
    expect(createCoercer(false).coerce({}).valid).toBe(false)
  })

  it('never asserts a format', () => {
    expect(
      createCoercer(field({ type: 'string', format: 'email' })).coerce({ x: 'no' }).valid,
    ).toBe(true)
    expect(
      createCoercer(field({ type: 'string', format: 'made-up' })).coerce({ x: 'no' }).valid,
    ).toBe(true)
  })

  it('skips what a remote reference would say', () => {
    const coercer = createCoercer(field({ $ref: 'https://example.test/s.json' }))
    expect(coercer.coerce({ x: 123 })).toMatchObject({ value: { x: 123 }, valid: true })
  })

  it('is never valid where the schema is broken, and says why', () => {
    const result = createCoercer(field({ type: 'strnig' })).coerce({ x: 'y' })
    expect(result.valid).toBe(false)
    expect(result.errors[0]).toMatchObject({ path: '', constraint: 'schema' })
    expect(result.errors[0]?.got).toContain('"strnig" is no type')
  })

  it('still repairs around the broken part', () => {
    const coercer = createCoercer({
      type: 'object',
      properties: { x: 'integer', n: { type: 'integer' } },
    })
    expect(coercer.coerce({ x: 'y', n: '1' }).value).toEqual({ x: 'y', n: 1 })
  })

  it('looks at own properties only', () => {
    const coercer = createCoercer({
      type: 'object',
      properties: { constructor: { type: 'integer' }, toString: { type: 'boolean' } },
    })
    expect(coercer.coerce({}).valid).toBe(true)
    expect(coercer.coerce({ constructor: '5', toString: 'true' })).toMatchObject({
      value: { constructor: 5, toString: true },
      valid: true,
    })
    const required = createCoercer({ type: 'object', required: ['constructor'] })
    expect(required.coerce({}).errors).toMatchObject([{ suggestion: 'constructor' }])
  })

  it('sees a schema that was changed after the first call as it was', () => {
    const schema = { type: 'object', properties: { x: { type: 'integer' } } }
    const coercer = createCoercer(schema)
    coercer.coerce({ x: 1 })
    schema.properties.x.type = 'boolean'
    expect(coercer.coerce({ x: 1 }).valid).toBe(true)
    expect(createCoercer(schema).coerce({ x: true }).valid).toBe(true)
  })
})
