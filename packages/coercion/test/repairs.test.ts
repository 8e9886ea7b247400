import { describe, expect, it } from 'vitest'

import { createCoercer, type Coercion } from '../src/index.ts'

type Json = { readonly [keyword: string]: unknown }

function field(schema: unknown, extra: Json = {}): Json {
  return { type: 'object', properties: { x: schema }, ...extra }
}

function rules(result: Coercion): readonly (readonly [string, string])[] {
  return result.repairs.map(({ path, rule }) => [path, rule] as const)
}

describe('the report of repairs', () => {
  it('names path, value as it came, value as it is, and rule, in the order of the walk', () => {
    const coercer = createCoercer({
      type: 'object',
      properties: {
        n: { type: 'integer' },
        'a/b': {
          type: 'array',
          items: { type: 'object', properties: { ok: { type: 'boolean' } } },
        },
        tags: { type: 'array', items: { type: 'string' } },
        gone: { type: 'string' },
      },
    })
    const args = { n: '5', 'a/b': '[{"ok":"true"}]', tags: 7, gone: null }
    expect(coercer.coerce(args).repairs).toEqual([
      { path: '/n', from: '5', to: 5, rule: 'text-to-number' },
      { path: '/a~1b', from: '[{"ok":"true"}]', to: [{ ok: 'true' }], rule: 'parse-json' },
      { path: '/a~1b/0/ok', from: 'true', to: true, rule: 'text-to-boolean' },
      { path: '/tags', from: 7, to: [7], rule: 'wrap' },
      { path: '/tags/0', from: 7, to: '7', rule: 'scalar-to-text' },
      { path: '/gone', from: null, to: undefined, rule: 'drop-null' },
    ])
  })

  it('names what was done to the whole call', () => {
    const schema = { ...field({ type: 'string' }), required: ['x'] }
    expect(rules(createCoercer(schema).coerce({ input: { x: 'a' } }))).toEqual([
      ['', 'open-wrapper'],
    ])
    expect(rules(createCoercer(field({ type: 'string' })).coerce(null))).toEqual([['', 'empty']])
    expect(rules(createCoercer(schema).coerce('{"x":"a"}'))).toEqual([['', 'parse-json']])
  })

  it('names restored names, unquoted text, null, and envelopes', () => {
    const coercer = createCoercer({
      type: 'object',
      properties: {
        'a~b': { enum: ['on', 'off'] },
        n: { type: ['integer', 'null'] },
        l: { type: 'array', items: { type: 'string' } },
      },
    })
    expect(rules(coercer.coerce({ a_b: '"on"', n: 'null', l: { items: ['x'] } }))).toEqual([
      ['/a~0b', 'rename'],
      ['/a~0b', 'unquote'],
      ['/n', 'text-to-null'],
      ['/l', 'open-envelope'],
    ])
  })

  it('goes from the outside in, so that each repair begins with what the one before left', () => {
    const integers = { type: 'array', items: { type: 'integer' } }
    const list = createCoercer(field({ type: 'array', items: integers }))
    expect(list.coerce({ x: '1' }).repairs).toEqual([
      { path: '/x', from: '1', to: ['1'], rule: 'wrap' },
      { path: '/x/0', from: '1', to: ['1'], rule: 'wrap' },
      { path: '/x/0/0', from: '1', to: 1, rule: 'text-to-number' },
    ])
    const schema = { ...field(integers), required: ['x'] }
    const args = { input: '{"x":{"items":"1"}}' }
    expect(createCoercer(schema).coerce(args).repairs).toEqual([
      { path: '', from: args, to: { x: { items: '1' } }, rule: 'open-wrapper' },
      { path: '/x', from: { items: '1' }, to: '1', rule: 'open-envelope' },
      { path: '/x', from: '1', to: ['1'], rule: 'wrap' },
      { path: '/x/0', from: '1', to: 1, rule: 'text-to-number' },
    ])
  })

  it('is empty where parts of a schema undo what others do', () => {
    const of = (a: string): object => ({ properties: { a: { type: a } } })
    for (const [schema, args] of [
      [{ ...of('string'), oneOf: [of('boolean')] }, { a: true }],
      [{ ...of('integer'), if: { required: ['a'] }, then: of('string') }, { a: '5' }],
    ] as const) {
      const { value, valid, repairs } = createCoercer({ type: 'object', ...schema }).coerce(args)
      expect(value).toBe(args)
      expect(valid).toBe(false)
      expect(repairs).toEqual([])
    }
  })

  it('is empty for a valid call', () => {
    expect(createCoercer(field({ type: 'string' })).coerce({ x: 'a' })).toEqual({
      value: { x: 'a' },
      valid: true,
      errors: [],
      repairs: [],
    })
  })
})
