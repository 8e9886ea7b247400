import { describe, expect, it } from 'vitest'

import { createCoercer, unrename } from '../src/index.ts'

const inner = { type: 'object', properties: { 'a~b': { type: 'string' } } }

function field(schema: object): { type: string; properties: { f: object } } {
  return { type: 'object', properties: { f: schema } }
}

describe('unrename', () => {
  it.each([
    [
      'a reference',
      { ...field({ $ref: '#/$defs/I' }), $defs: { I: inner } },
      { a_b: 'x' },
      { 'a~b': 'x' },
    ],
    ['allOf', field({ allOf: [inner, { type: 'object' }] }), { a_b: 'x' }, { 'a~b': 'x' }],
    [
      'a union with null',
      field({ anyOf: [inner, { type: 'null' }] }),
      { a_b: 'x' },
      { 'a~b': 'x' },
    ],
    ['a map', field({ additionalProperties: inner }), { k: { a_b: 'x' } }, { k: { 'a~b': 'x' } }],
    [
      'pattern properties',
      field({ patternProperties: { '^k': inner } }),
      { k: { a_b: 'x' } },
      { k: { 'a~b': 'x' } },
    ],
    ['a tuple', field({ prefixItems: [inner] }), [{ a_b: 'x' }], [{ 'a~b': 'x' }]],
    ['lists of lists', field({ items: { items: inner } }), [[{ a_b: 'x' }]], [[{ 'a~b': 'x' }]]],
    [
      'the branch of a union that knows the names',
      field({ anyOf: [inner, { type: 'object', properties: { 'c~d': {} } }] }),
      { c_d: 'x' },
      { 'c~d': 'x' },
    ],
  ])('goes through %s', (_, schema, sent, own) => {
    expect(unrename(schema, { f: sent })).toEqual({ f: own })
  })

  it.each(['anyOf', 'oneOf'])('goes through the branch of %s whose tag is renamed', (union) => {
    const branch = (kind: string, name: string): object => ({
      type: 'object',
      properties: { '@type': { const: kind }, [name]: { type: 'string' } },
      required: ['@type', name],
      additionalProperties: false,
    })
    const schema = field({ [union]: [branch('a', 'x y'), branch('b', 'x/y')] })
    for (const [kind, name] of [
      ['a', 'x y'],
      ['b', 'x/y'],
    ] as const) {
      const own = { f: { '@type': kind, [name]: 's' } }
      for (const tag of ['_type', '@type']) {
        const sent = { f: { [tag]: kind, x_y: 's' } }
        expect(unrename(schema, sent, { provider: 'anthropic' })).toEqual(own)
        const { coerce } = createCoercer(schema, { provider: 'anthropic' })
        expect(coerce(sent)).toMatchObject({ value: own, valid: true })
      }
    }
    // The own name wins.
    expect(unrename(schema, { f: { _type: 'b', '@type': 'a', x_y: 's' } })).toEqual({
      f: { _type: 'b', '@type': 'a', 'x y': 's' },
    })
  })

  it('leaves types and text as they are', () => {
    const args = { f: '{"a_b":"x"}' }
    expect(unrename(field(inner), args)).toBe(args)
    expect(unrename({ properties: { 'n~': { type: 'integer' } } }, { n_: '5' })).toEqual({
      'n~': '5',
    })
  })

  it('keeps the order of keys', () => {
    const schema = { properties: { z: {}, 'a~b': {}, m: {} } }
    expect(Object.keys(unrename(schema, { m: 1, a_b: 2, z: 3 }) as object)).toEqual([
      'm',
      'a~b',
      'z',
    ])
  })

  it('restores nothing where two properties would fit', () => {
    const parts = { allOf: [{ properties: { 'a~b': {} } }, { properties: { 'a^b': {} } }] }
    const args = { f: { a_b: 1 } }
    expect(unrename(field(parts), args)).toBe(args)
    // At the root all parts are shown as one.
    expect(unrename(parts, { a_b: 1, a_b_2: 2 })).toEqual({ 'a~b': 1, 'a^b': 2 })
  })

  it('restores what a part requires that does not declare it', () => {
    const schema = field({ properties: { 'a~b': {}, 'a^b': {} }, allOf: [{ required: ['a^b'] }] })
    expect(unrename(schema, { f: { a_b: 1, a_b_2: 2 } })).toEqual({ f: { 'a~b': 1, 'a^b': 2 } })
  })

  it('follows the names of the provider', () => {
    const schema = { properties: { 'a.b': {}, '9x': {}, 城市: {} } }
    expect(unrename(schema, { a_b: 1, _9x: 2, __: 3 }, { provider: 'gemini' })).toEqual({
      'a.b': 1,
      '9x': 2,
      城市: 3,
    })
    expect(unrename(schema, { 'a.b': 1, __: 3 })).toEqual({ 'a.b': 1, 城市: 3 })
    const args = { __: 3 }
    expect(unrename(schema, args, { provider: 'openai' })).toBe(args)
  })

  it('gives anything back that is no object, and takes no schema', () => {
    for (const args of [null, undefined, 'x', 5, ['x']]) {
      expect(unrename(inner, args)).toBe(args)
      expect(unrename(undefined, args)).toBe(args)
    }
  })
})
