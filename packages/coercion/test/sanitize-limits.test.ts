import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkSchema, createCoercer, sanitizeSchema, type Provider } from '../src/index.ts'

const text = { type: 'string' }

function shownField(x: unknown, provider: Provider, extra: object = {}): [unknown, unknown] {
  const whole = { type: 'object', properties: { x }, required: ['x'], ...extra } as JsonSchema
  const { schema, lossy } = sanitizeSchema(whole, { provider })
  expect(checkSchema(schema, provider)).toEqual([])
  return [(schema as { properties: { x: unknown } }).properties.x, lossy]
}

describe('what stands beside a union', () => {
  const body = {
    type: 'object',
    description: 'Either',
    properties: { x: text, y: text },
    anyOf: [{ required: ['x'] }, { required: ['y'] }],
  }

  it.each<Provider>(['gemini', 'llama.cpp'])(
    'is shown to %s in each of its branches, and nothing is lost',
    (provider) => {
      const branch = { type: 'object', properties: { x: text, y: text } }
      const anyOf = [
        { ...branch, required: ['x'] },
        { ...branch, required: ['y'] },
      ]
      expect(shownField(body, provider)).toEqual([{ description: 'Either', anyOf }, []])
    },
  )

  it('is shown to strict OpenAI so that something fits, which fits the tool', () => {
    const [shown, lossy] = shownField(body, 'openai-strict')
    const branch = { type: 'object', required: ['x', 'y'], additionalProperties: false }
    const optional = { type: ['string', 'null'] }
    expect(shown).toEqual({
      description: 'Either',
      anyOf: [
        { ...branch, properties: { x: text, y: optional } },
        { ...branch, properties: { x: optional, y: text } },
      ],
    })
    expect(lossy).toEqual([])
    const schema = { type: 'object', properties: { body } } as JsonSchema
    const { coerce } = createCoercer(schema, { provider: 'openai-strict' })
    expect(coerce({ body: { x: 'a', y: null } })).toMatchObject({
      value: { body: { x: 'a' } },
      valid: true,
    })
  })

  it('leaves references alone where it is only their type', () => {
    const $defs = { A: { type: 'object', properties: { k: text }, required: ['k'] } }
    const union = [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }]
    const field = { type: 'object', anyOf: union }
    expect(shownField(field, 'openai-strict', { $defs })).toEqual([{ anyOf: union }, []])
  })

  it('tells the branches of a oneOf apart by their tags', () => {
    const kind = (name: string): object => ({
      properties: { kind: { const: name } },
      required: ['kind'],
    })
    const field = { type: 'object', properties: { a: text }, oneOf: [kind('a'), kind('b')] }
    expect(shownField(field, 'openai-strict')[1]).toEqual([])
  })

  it('ends where a branch leads back to the whole', () => {
    const A = { type: 'object', properties: { k: text }, anyOf: [{ $ref: '#/$defs/A' }, {}] }
    for (const provider of ['gemini', 'openai-strict', 'llama.cpp'] as const) {
      const [shown] = shownField({ $ref: '#/$defs/A' }, provider, { $defs: { A } })
      expect(JSON.stringify(shown).length).toBeLessThan(2000)
    }
  })

  it('is known to be refused or passed over', () => {
    for (const provider of ['gemini', 'llama.cpp'] as const) {
      const schema = { type: 'object', properties: { x: body } } as JsonSchema
      expect(checkSchema(schema, provider)).toContain('/properties/x: properties beside anyOf')
    }
  })
})

describe.each<Provider>(['anthropic', 'bedrock'])('strict %s', (provider) => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `f${n}`)
  const isStrict = (count: number, field: object, required: readonly string[]): boolean => {
    const properties = Object.fromEntries(names(count).map((name) => [name, field]))
    const schema = { type: 'object', properties, required, additionalProperties: false }
    return sanitizeSchema(schema, { provider }).strict
  }

  it('is not claimed for more than 24 optional fields', () => {
    expect([isStrict(24, text, []), isStrict(25, text, [])]).toEqual([true, false])
    expect(isStrict(40, text, names(40))).toBe(true)
  })

  it.each([{ type: ['string', 'null'] }, { anyOf: [text, { type: 'null' }] }])(
    'is not claimed for more than 16 of %j',
    (union) => {
      expect([isStrict(16, union, names(16)), isStrict(17, union, names(17))]).toEqual([
        true,
        false,
      ])
    },
  )

  it.each([
    { ...text, pattern: '^(a)\\1$' },
    { ...text, pattern: '^(?<q>a)\\k<q>$' },
    { ...text, pattern: '\\bfoo' },
    { ...text, pattern: '\\Bfoo' },
    { enum: [{ a: 1 }] },
    { enum: [[2]] },
    { ...text, format: 'uri-reference' },
    { type: 'array', items: text, minItems: 2 },
  ])('is not claimed for %j', (field) => {
    expect(isStrict(1, field, ['f0'])).toBe(false)
  })

  it.each([
    { ...text, pattern: '^[a-z]\\d+\\.$' },
    { type: 'integer', enum: [1, 2] },
    { ...text, format: 'uri' },
    { type: 'array', items: text, minItems: 0 },
    { type: 'array', items: text, minItems: 1 },
  ])('is claimed for %j', (field) => {
    expect(isStrict(1, field, ['f0'])).toBe(true)
  })

  describe('where there are references', () => {
    const closed = (fields: object): object => ({
      type: 'object',
      properties: fields,
      required: Object.keys(fields),
      additionalProperties: false,
    })
    const ref = (name: string): object => ({ $ref: `#/$defs/${name}` })
    const Street = closed({ name: text })
    const Address = closed({ street: ref('Street'), other: ref('Street') })
    const Node = closed({ kids: { type: 'array', items: ref('Node') } })
    const Ping = closed({ pong: { anyOf: [ref('Pong'), text] } })
    const Pong = closed({ ping: ref('Ping') })

    it.each<[boolean, string, object, object]>([
      [true, 'to definitions', { a: ref('Address'), b: ref('Street') }, { Street, Address }],
      [false, 'back to their own definition', { a: ref('Node') }, { Node }],
      [false, 'back through another definition', { a: ref('Ping') }, { Ping, Pong }],
      [false, 'to the whole', { a: { $ref: '#' } }, {}],
      [false, 'on beside words', { a: { ...ref('Street'), description: 'Where' } }, { Street }],
      [false, 'on from allOf', { a: { allOf: [ref('Street')] } }, { Street }],
    ])('is claimed: %j, if they lead %s', (strict, _, fields, $defs) => {
      const schema = { ...closed(fields), $defs } as JsonSchema
      expect(sanitizeSchema(schema, { provider })).toMatchObject({ lossy: [], strict })
    })
  })
})

it.each([
  [250, 100, true],
  [251, 50, true],
  [251, 60, false],
])('strict OpenAI: an enum of %d values of %d characters', (count, length, strict) => {
  const members = Array.from({ length: count }, (_, n) => `${n}`.padStart(length, 'v'))
  const properties = { x: { ...text, enum: members } }
  const shown = sanitizeSchema(
    { type: 'object', properties, required: ['x'] },
    { provider: 'openai-strict' },
  )
  expect(shown).toMatchObject({ strict, lossy: [] })
  expect(checkSchema(shown.schema, 'openai-strict')).toEqual(
    strict ? [] : ['/properties/x: long enum'],
  )
})

it('Gemini: an enum with empty text, which it refuses, is told in words', () => {
  expect(shownField({ ...text, enum: ['', 'asc'] }, 'gemini')).toEqual([
    { ...text, description: '(enum ["","asc"])' },
    ['/properties/x: enum'],
  ])
})

describe('a tuple for a provider that takes none', () => {
  const number = { type: 'number' }

  it.each<Provider>(['gemini', 'openai-strict', 'llama.cpp'])(
    'is shown to %s as a list of what its entries are',
    (provider) => {
      const point = { type: 'array', prefixItems: [number, number], items: false }
      expect(shownField(point, provider)).toMatchObject([
        { items: number },
        ['/properties/x: prefixItems'],
      ])
      const mixed = { type: 'array', prefixItems: [text, number], items: { type: 'boolean' } }
      expect(shownField(mixed, provider)).toMatchObject([
        { items: { anyOf: [text, number, { type: 'boolean' }] } },
        ['/properties/x: prefixItems'],
      ])
    },
  )
})

describe('Gemini: JSON text', () => {
  it('stands for what a reference leads back to, and is read back', () => {
    const node = {
      type: 'object',
      properties: { kids: { type: 'array', items: { $ref: '#/$defs/n', description: 'Child' } } },
    }
    const extra = { $defs: { n: node } }
    const [shown, lossy] = shownField({ $ref: '#/$defs/n' }, 'gemini', extra)
    const items = { ...text, description: 'Child (JSON text of the same again)' }
    expect(shown).toEqual({ type: 'object', properties: { kids: { type: 'array', items } } })
    expect(lossy).toEqual(['/properties/x/properties/kids/items: recursion'])
    const { coerce } = createCoercer({ properties: { x: node }, ...extra } as JsonSchema)
    expect(coerce({ x: { kids: ['{"kids":[]}'] } })).toMatchObject({
      value: { x: { kids: [{ kids: [] }] } },
      valid: true,
    })
  })

  it('of a map names no type of its values where it takes any, and all of them else', () => {
    expect(shownField({ type: 'object' }, 'gemini')[0]).toEqual({
      ...text,
      description: '(JSON text of an object)',
    })
    const values = { type: 'object', properties: { first: text, second: text, third: text } }
    expect(shownField({ type: 'object', additionalProperties: values }, 'gemini')[0]).toEqual({
      ...text,
      description: `(JSON text of an object of ${JSON.stringify(values)})`,
    })
  })
})

it.each<Provider>(['openai-strict', 'llama.cpp'])(
  'the description beside a reference is shown to %s',
  (provider) => {
    const $defs = { D: { type: 'object', properties: { k: text }, required: ['k'] } }
    const field = { $ref: '#/$defs/D', description: 'Who pays' }
    expect(shownField(field, provider, { $defs })).toEqual([
      { anyOf: [{ $ref: '#/$defs/D' }], description: 'Who pays' },
      [],
    ])
  },
)

it.each<Provider>(['openai', 'openai-strict'])(
  'a list or an object or null is shown to %s as one of each alone is',
  (provider) => {
    const parts = (shown: unknown): object => ({ ...(shown as object), type: undefined })
    for (const [type, words] of [
      ['array', {}],
      ['object', { properties: { k: text } }],
    ] as const) {
      const [both] = shownField({ type: [type, 'null'], ...words }, provider)
      const [alone] = shownField({ type, ...words }, provider)
      expect(both).toMatchObject({ type: [type, 'null'] })
      expect(parts(both)).toEqual(parts(alone))
    }
  },
)

it.each<[string, boolean]>([
  ['^a$', true],
  ['^$', true],
  ['^"$', true],
  ['^a\\\\$', true],
  ['^a\\$', false],
  ['^\\$', false],
  ['^a\\\\\\$', false],
])('llama.cpp: the pattern %s is anchored: %j', (pattern, anchored) => {
  const [shown, lossy] = shownField({ ...text, pattern }, 'llama.cpp')
  expect(lossy).toEqual(anchored ? [] : ['/properties/x: pattern'])
  expect(Object.hasOwn(shown as object, 'pattern')).toBe(anchored)
})
