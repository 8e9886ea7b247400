import { describe, expect, it } from 'vitest'

import { createCoercer, type Coercion } from '../src/index.ts'

function errorsOf(schema: object, args: unknown): Coercion['errors'] {
  return createCoercer({ type: 'object', ...schema }).coerce(args).errors
}

describe('faults', () => {
  it('name each missing field at its object, one fault each', () => {
    const properties = { id: { type: 'string' }, n: { type: 'integer' } }
    expect(errorsOf({ properties, required: ['id', 'n'] }, {})).toEqual([
      {
        path: '',
        constraint: 'required',
        got: 'nothing',
        expected: '"id" (string)',
        suggestion: 'id',
      },
      {
        path: '',
        constraint: 'required',
        got: 'nothing',
        expected: '"n" (integer)',
        suggestion: 'n',
      },
    ])
    const nested = { properties: { o: { type: 'object', required: ['count'] } } }
    expect(errorsOf(nested, { o: {} })).toMatchObject([{ path: '/o', suggestion: 'count' }])
  })

  it('name an unknown field at its object, with the nearest declared one that is free', () => {
    const schema = { properties: { limit: {}, offset: {} }, additionalProperties: false }
    expect(errorsOf(schema, { limt: 5 })).toEqual([
      {
        path: '',
        constraint: 'additionalProperties',
        got: 'the unknown field "limt"',
        expected: 'one of "limit", "offset"',
        suggestion: 'limit',
      },
    ])
    expect(errorsOf(schema, { limit: 1, limt: 5 })[0]).not.toHaveProperty('suggestion')
    expect(errorsOf(schema, { zzz: 5 })[0]).not.toHaveProperty('suggestion')
  })

  it('name the nearest allowed value', () => {
    const schema = (values: object): object => ({ properties: { x: values } })
    expect(errorsOf(schema({ enum: ['low', 'high'] }), { x: 'hihg' })).toEqual([
      {
        path: '/x',
        constraint: 'enum',
        got: 'string "hihg"',
        expected: 'one of "low", "high"',
        suggestion: 'high',
      },
    ])
    expect(errorsOf(schema({ enum: ['north-east'] }), { x: 'North East' })[0]?.suggestion).toBe(
      'north-east',
    )
    expect(errorsOf(schema({ enum: [1, 5, 10] }), { x: 7 })[0]?.suggestion).toBe('5')
    expect(errorsOf(schema({ const: 'on' }), { x: 'onn' })[0]).toMatchObject({
      expected: '"on"',
      suggestion: 'on',
    })
    expect(errorsOf(schema({ enum: ['low', 'high'] }), { x: 'medium' })[0]).not.toHaveProperty(
      'suggestion',
    )
  })

  it('name what came and what fits for a wrong type', () => {
    const properties = { x: { type: 'integer' }, l: { type: 'array', items: { type: 'string' } } }
    expect(errorsOf({ properties }, { x: '4.5', l: { a: 1 } })).toEqual([
      { path: '/x', constraint: 'type', got: 'string "4.5"', expected: 'integer' },
      { path: '/l', constraint: 'type', got: 'object with 1 fields', expected: 'array of string' },
    ])
    expect(
      errorsOf({ properties: { x: { type: ['integer', 'null'] } } }, { x: 'y' })[0]?.expected,
    ).toBe('integer or null')
  })

  it.each([
    [{ minimum: 3 }, 1, 'minimum 3'],
    [{ maxLength: 2 }, 'abc', 'maxLength 2'],
    [{ pattern: '^a+$' }, 'b', 'pattern "^a+$"'],
    [{ multipleOf: 5 }, 7, 'multipleOf 5'],
    [{ minItems: 2 }, [1], 'minItems 2'],
    [{ uniqueItems: true }, [1, 1], 'uniqueItems true'],
  ])('say the keyword and its limit: %j', (schema, x, expected) => {
    expect(errorsOf({ properties: { x: schema } }, { x })).toMatchObject([{ path: '/x', expected }])
  })

  it('are those of the branch that was meant', () => {
    const shape = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const nullable = { properties: { x: { anyOf: [shape, { type: 'null' }] } } }
    expect(errorsOf(nullable, { x: { n: 'many' } })).toEqual([
      { path: '/x/n', constraint: 'type', got: 'string "many"', expected: 'integer' },
    ])
    const tagged = (kind: string, type: string): object => ({
      type: 'object',
      properties: { kind: { const: kind }, v: { type } },
      required: ['kind', 'v'],
    })
    const union = { properties: { x: { oneOf: [tagged('a', 'integer'), tagged('b', 'boolean')] } } }
    expect(errorsOf(union, { x: { kind: 'b', v: 'maybe' } })).toMatchObject([
      { path: '/x/v', expected: 'boolean' },
    ])
  })

  describe('of a tag that no branch has', () => {
    const branch = (op: unknown, ...more: string[]): object => ({
      type: 'object',
      properties: { op, id: { type: 'integer' } },
      required: ['op', ...more],
      additionalProperties: false,
    })
    const branches = [
      branch({ const: 'add' }),
      branch({ const: 'remove' }, 'id'),
      branch({ enum: ['update', 'move'] }, 'id'),
      { type: 'null' },
    ]
    const $defs = Object.fromEntries(branches.map((one, index) => [`b${index}`, one]))
    const references = branches.map((_, index) => ({ $ref: `#/$defs/b${index}` }))
    const expected = 'one of "add", "remove", "update", "move"'

    it.each<[string, object]>([
      ['anyOf', { anyOf: branches }],
      ['oneOf', { oneOf: branches }],
      ['references', { oneOf: references, $defs }],
      [
        'a union of unions',
        { anyOf: [{ oneOf: branches.slice(0, 1) }, { anyOf: branches.slice(1) }] },
      ],
    ])('are one, with the values of all branches: %s', (_name, union) => {
      const { $defs: own = {}, ...schema } = union as { $defs?: object }
      for (const [at, wrap] of [
        ['', (value: unknown) => value],
        ['/step', (step: unknown) => ({ step })],
      ] as const) {
        const whole = at === '' ? schema : { properties: { step: schema }, type: 'object' }
        const { coerce } = createCoercer({ ...whole, $defs: own })
        expect(coerce(wrap({ op: 'updte', id: 'x' })).errors).toMatchObject([
          { path: `${at}/op`, got: 'string "updte"', expected, suggestion: 'update' },
        ])
        const [fault, ...others] = coerce(wrap({ op: 'zzz' })).errors
        expect(fault).toMatchObject({ path: `${at}/op`, expected })
        expect(fault).not.toHaveProperty('suggestion')
        expect(others).toEqual([])
        const got = 'nothing'
        expect(coerce(wrap({})).errors).toEqual([
          {
            path: at,
            constraint: 'required',
            got,
            expected: `"op" (${expected})`,
            suggestion: 'op',
          },
        ])
        expect(coerce(wrap({ op: 'remove' })).errors).toMatchObject([
          { path: at, constraint: 'required', suggestion: 'id' },
        ])
      }
    })

    it('are all of the branch where the field is no tag', () => {
      const unit = { enum: ['m', 'km'] }
      const shape = (name: string): object => ({
        type: 'object',
        properties: { unit, [name]: { type: 'integer' } },
        required: ['unit', name],
      })
      const x = { anyOf: [shape('width'), shape('height')] }
      expect(errorsOf({ properties: { x } }, { x: { unit: 'kg', width: 'wide' } })).toMatchObject([
        { path: '/x' },
      ])
      expect(errorsOf({ properties: { x } }, { x: { unit: 'kg', width: 5 } })).toMatchObject([
        { path: '/x/unit', expected: 'one of "m", "km"' },
      ])
    })
  })

  it('are those of the branch that was meant behind a reference', () => {
    const $defs = {
      s: { type: 'object', properties: { n: { type: 'integer' } } },
      e: { type: 'null' },
    }
    const properties = { x: { anyOf: [{ $ref: '#/$defs/s' }, { $ref: '#/$defs/e' }] } }
    expect(errorsOf({ properties, $defs }, { x: { n: 'many' } })).toMatchObject([{ path: '/x/n' }])
  })

  it('say all alternatives where none was clearly meant', () => {
    const properties = { x: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }
    expect(errorsOf({ properties }, { x: 'maybe' })).toEqual([
      { path: '/x', constraint: 'anyOf', got: 'string "maybe"', expected: 'integer or boolean' },
    ])
    const consts = { x: { oneOf: [{ const: 'red' }, { const: 'green' }] } }
    expect(errorsOf({ properties: consts }, { x: 'gren' })).toMatchObject([
      { path: '/x', expected: 'one of "red", "green"', suggestion: 'green' },
    ])
  })

  it('keep the faults of other fields', () => {
    const properties = {
      a: { type: 'integer' },
      x: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
      z: { type: 'integer' },
    }
    expect(errorsOf({ properties }, { a: 'p', x: 'q', z: 'r' }).map(({ path }) => path)).toEqual([
      '/a',
      '/x',
      '/z',
    ])
  })

  it('cut long values and long lists', () => {
    const schema = { properties: { x: { enum: Array.from({ length: 40 }, (_, n) => `v${n}`) } } }
    const [fault] = errorsOf(schema, { x: 'y'.repeat(1000) })
    expect(fault?.got.length).toBeLessThan(80)
    expect(fault?.expected).toMatch(/"v11", …$/)
  })

  it('are at most fifty', () => {
    const schema = { properties: { x: { type: 'array', items: { type: 'integer' } } } }
    expect(errorsOf(schema, { x: Array.from({ length: 1000 }, () => 'no') })).toHaveLength(50)
  })
})
