import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  checkSchema,
  checkToolSchema,
  createCoercer,
  parseArguments,
  parseLossless,
  sanitizeSchema,
  unrename,
} from '../src/index.ts'
import { hostileSchema, hostileValue } from './support/hostile.ts'
import { runs } from './support/runs.ts'

/** Far above what any of these takes on a busy machine; what explodes takes much longer. */
const PATIENCE = 5000

function inTime<Result>(run: () => Result): Result {
  const started = performance.now()
  const result = run()
  expect(performance.now() - started).toBeLessThan(PATIENCE)
  return result
}

const prototype = Object.getOwnPropertyNames(Object.prototype).toSorted().join()

describe('hostile input', { timeout: 900_000 }, () => {
  it('never makes coercion throw, take long, mutate, or touch a prototype', () => {
    const values = fc.array(hostileValue, { minLength: 50, maxLength: 50 })
    fc.assert(
      fc.property(hostileSchema, values, (schema, inputs) => {
        const coercer = createCoercer(schema as JsonSchema)
        for (const args of inputs) {
          const before = JSON.stringify(args)
          const result = inTime(() => coercer.coerce(args))
          expect(JSON.stringify(args)).toBe(before)
          expect(result.errors.length === 0).toBe(result.valid)
          if (result.repairs.length === 0) expect(result.value).toBe(args)
        }
        expect(Object.getOwnPropertyNames(Object.prototype).toSorted().join()).toBe(prototype)
      }),
      runs(2000),
    )
  })

  it('never makes showing, checking or restoring throw anything unexpected', () => {
    fc.assert(
      fc.property(hostileSchema, hostileValue, (schema, args) => {
        let accepted = true
        try {
          checkToolSchema(schema as JsonSchema)
        } catch (error) {
          accepted = false
          expect(error).toMatchObject({ name: 'InvalidToolError' })
        }
        if (accepted) inTime(() => sanitizeSchema(schema as JsonSchema, { provider: 'gemini' }))
        inTime(() => unrename(schema as JsonSchema, args))
      }),
      runs(5000),
    )
  })

  it('never makes reading throw', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ',',
      ':',
      '\\',
      '\n',
      '```',
      'None',
      '1e9',
      '-',
      'a',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(text, (input) => {
        parseLossless(input)
        parseArguments(input)
      }),
      runs(50_000),
    )
  })
})

/** Arguments and schemas of size n that cost more than linear time in careless code. */
const families: { readonly [name: string]: (n: number) => () => unknown } = {
  'a long list of texts': (n) => {
    const coercer = createCoercer({ type: 'array', items: { type: 'integer' } })
    const args = Array.from({ length: n }, (_, index) => String(index))
    return () => coercer.coerce(args)
  },
  'a long list of faults': (n) => {
    const coercer = createCoercer({
      type: 'array',
      items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    })
    const args = Array.from({ length: n }, () => 'no')
    return () => coercer.coerce(args)
  },
  'many keys, renamed': (n) => {
    const properties = Object.fromEntries(
      Array.from({ length: n }, (_, index) => [`k~${index}`, { type: 'integer' }]),
    )
    const coercer = createCoercer({ type: 'object', properties })
    const args = Object.fromEntries(Array.from({ length: n }, (_, index) => [`k_${index}`, '1']))
    return () => coercer.coerce(args)
  },
  'names that all collide': (n) => {
    const names = Array.from({ length: n }, (_, index) => String.fromCodePoint(0x4e00 + index))
    const properties = Object.fromEntries(names.map((name) => [name, {}]))
    return () => sanitizeSchema({ type: 'object', properties })
  },
  'unique items': (n) => {
    const coercer = createCoercer({ type: 'array', uniqueItems: true })
    const args = Array.from({ length: n }, (_, index) => ({ index }))
    return () => coercer.coerce(args)
  },
  'objects with one of many fields': (n) => {
    const names = Array.from({ length: n / 4 }, (_, index) => `p${index}`)
    const items = {
      type: 'object',
      properties: Object.fromEntries(names.map((key) => [key, true])),
    }
    const coercer = createCoercer({ type: 'object', properties: { x: { type: 'array', items } } })
    const x = Array.from({ length: n }, (_, index) => ({ [names[index % names.length]!]: 1 }))
    return () => coercer.coerceText(JSON.stringify({ x }))
  },
  'white space around nothing': (n) => {
    const coercer = createCoercer({ type: 'object', properties: { x: { type: 'integer' } } })
    return () => coercer.coerce({ x: `${' '.repeat(n)}x${' '.repeat(n)}` })
  },
  'text in text': (n) => {
    const coercer = createCoercer({ type: 'object', properties: { x: { type: 'array' } } })
    return () => coercer.coerce({ x: `["${'\\"'.repeat(n)}` })
  },
  'a chain of references': (n) => {
    const $defs = Object.fromEntries(
      Array.from({ length: n / 100 }, (_, index) => [
        `d${index}`,
        { $ref: `#/$defs/d${index + 1}` },
      ]),
    )
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, [`d${n / 100}`]: { type: 'integer' } } }
    return () => createCoercer({ ...schema, title: String(Math.random()) }).coerce('5')
  },
}

describe('time grows no faster than the input', { timeout: 300_000 }, () => {
  it.each(Object.keys(families))('for %s', (name) => {
    const timed = (n: number): (() => number) => {
      const run = families[name]!(n)
      return () => {
        const started = performance.now()
        run()
        return performance.now() - started
      }
    }
    timed(500)()
    const [small, large] = [timed(2000), timed(16_000)]
    let [few, many, most] = [Infinity, Infinity, 0]
    // Others use the machine too: what is linear is seen to be in one of some rounds.
    for (let round = 0; round < 10 && !(round > 2 && many < most); round++) {
      few = Math.min(few, small())
      many = Math.min(many, large())
      // Four times what linear growth costs, and something for the clock.
      most = few * 8 * 4 + 50
    }
    expect(many).toBeLessThan(most)
  })
})

describe('what doubles with every level', { timeout: 60_000 }, () => {
  const nest = (depth: number, leaf: unknown): unknown =>
    depth === 0 ? leaf : { x: nest(depth - 1, leaf) }

  it.each(['anyOf', 'oneOf'])('is given up in a ring of %s', (union) => {
    const node = { type: 'object', properties: { x: { $ref: '#/$defs/n' } } }
    const schema = { $ref: '#/$defs/n', $defs: { n: { [union]: [node, { ...node, title: 'b' }] } } }
    const coercer = createCoercer(schema)
    const result = inTime(() => coercer.coerce(nest(150, 5)))
    expect(result.valid).toBe(false)
    expect(result.errors.length).toBeGreaterThan(0)
  })

  it('is given up in a chain of definitions', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `d${index}`,
        {
          oneOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}`, title: 'b' }],
        },
      ]),
    )
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d60: { enum: ['a', 5] } } }
    expect(inTime(() => createCoercer(schema).coerce('5')).valid).toBe(false)
    inTime(() => sanitizeSchema(schema, { provider: 'gemini' }))
  })

  /** Small in memory, and endless as JSON. */
  const shared = (leaf: unknown, wrap: (inner: unknown) => unknown): unknown => {
    let value = leaf
    for (let level = 0; level < 90; level++) value = wrap(value)
    return value
  }
  const lists = shared(1, (inner) => [inner, inner])
  const inline = (wrap: (inner: JsonSchema) => JsonSchema): JsonSchema => {
    let schema: JsonSchema = { type: 'integer' }
    for (let level = 0; level < 95; level++) schema = wrap(schema)
    return schema
  }
  it.each<[string, JsonSchema, unknown]>([
    ['ring', { type: 'array', items: { $ref: '#/properties/x' } }, lists],
    ['list of lists', inline((items) => ({ type: 'array', items })), lists],
    [
      'map of maps',
      inline((additionalProperties) => ({ type: 'object', additionalProperties })),
      shared({ a: 1 }, (inner) => ({ a: inner, b: inner })),
    ],
    ['list without equals', { type: 'array', uniqueItems: true }, lists],
    ['list of values', { enum: [[1], { a: 1 }] }, lists],
    ['list of values in a union', { anyOf: [{ enum: [[1]] }, { const: 1 }] }, lists],
    ['wrong type elsewhere', {}, lists],
  ])('is given up in arguments that share parts: %s', (_name, x, value) => {
    const coercer = createCoercer({ properties: { x, n: { type: 'integer' } } })
    const args = { x: value, n: 'x' }
    const { value: same, errors } = inTime(() => coercer.coerce(args))
    expect(same).toBe(args)
    expect(errors).toMatchObject([{ path: '', constraint: 'limit' }])
  })

  it('is given up where each branch reads a long text', () => {
    const branches = Array.from({ length: 150 }, (_, n) => ({
      properties: { t: { type: 'object', required: [`q${n}`] } },
      required: ['t'],
    }))
    const { coerce } = createCoercer({ properties: { x: { type: 'object', anyOf: branches } } })
    const args = { x: { t: `{'a':[${'1,'.repeat(200_000)}]}` } }
    expect(inTime(() => coerce(args)).errors).toMatchObject([{ constraint: 'limit' }])
  })

  it('is given up where an explanation copies its errors at each place', () => {
    const a = { type: 'object', properties: { a: { type: 'integer' } } }
    const l = { type: 'array', items: { anyOf: [{ $ref: '#/$defs/l' }, a] } }
    const { coerce } = createCoercer({ properties: { x: { $ref: '#/$defs/l' } }, $defs: { l } })
    const x = Array.from({ length: 40_000 }, () => ({ a: 'x' }))
    expect(inTime(() => coerce({ x })).valid).toBe(false)
    expect(coerce({ x: x.slice(0, 1000) }).errors[0]).toMatchObject({ path: '/x/0/a' })
  })

  it('survives native arguments that are nested very deeply', () => {
    const coercer = createCoercer({
      $ref: '#/$defs/n',
      $defs: { n: { type: 'object', properties: { x: { $ref: '#/$defs/n' } } } },
    })
    let args: unknown = 5
    for (let level = 0; level < 50_000; level++) args = { x: args }
    expect(inTime(() => coercer.coerce(args)).valid).toBe(false)
  })
})

describe('a first call with what no real tool has', { timeout: 60_000 }, () => {
  const many = (count: number, part: (n: number) => unknown): Exclude<JsonSchema, boolean> => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`p${n}`, part(n) as JsonSchema]),
    ),
  })
  const nested = (union: string, depth: number): JsonSchema => {
    let part: JsonSchema = { type: 'integer' }
    for (let level = 0; level < depth; level++) {
      part = { [union]: ['a', 'b', 'c'].map((name) => ({ properties: { [name]: part } })) }
    }
    return part
  }
  const schemas: { readonly [name: string]: JsonSchema } = {
    'of 12,000 properties': many(12_000, () => ({ type: 'string' })),
    'of 12,000 properties that are true': many(12_000, () => true),
    'of anyOf inside anyOf': nested('anyOf', 9),
    'of oneOf inside oneOf, as shared objects': nested('oneOf', 40),
    'of allOf': { allOf: Array.from({ length: 1000 }, (_, n) => ({ minimum: n })) },
    'of many keywords': many(1000, (n) => ({ minimum: 1, maximum: n, minLength: 1, maxLength: 5 })),
    'of unevaluated properties beside many': {
      ...many(2000, () => true),
      unevaluatedProperties: false,
    },
    'of many unevaluated properties': {
      allOf: Array.from({ length: 100 }, () => ({
        $ref: '#/$defs/a',
        unevaluatedProperties: false,
      })),
      $defs: { a: many(300, () => true) },
    },
    'of many patterns': many(1000, (n) => ({ pattern: `^[a-z]{1,3}x${n}$` })),
  }

  it.each(Object.keys(schemas))('is refused where the schema is one %s', (name) => {
    const schema = schemas[name]!
    const { errors, value } = inTime(() => createCoercer(schema).coerce({ p0: '1' }))
    expect(errors).toMatchObject([{ constraint: 'schema' }])
    expect(value).toEqual({ p0: '1' })
    expect(() => checkToolSchema(schema)).toThrow(/too large|too many/)
    inTime(() => sanitizeSchema(schema, { provider: 'gemini' }))
    inTime(() => unrename(schema, { p0: '1' }))
    inTime(() => checkSchema(schema, 'gemini'))
  })

  const closed = { unevaluatedProperties: false }
  const based = { allOf: [many(15, () => ({ type: 'string' }))], ...closed }
  let deep: JsonSchema = {}
  for (let level = 0; level < 150; level++) deep = { properties: { a: deep }, ...closed }
  it.each([
    ['of which ten are based on another', { ...many(10, () => based), ...closed }],
    ['that lead back', { ...many(100, () => ({ $ref: '#', ...closed })), ...closed }],
    ['beside 1500 others', { ...many(1500, () => true), ...closed }],
    ['inside each other', deep],
  ])('is answered where unevaluated properties are ruled out %s', (_name, schema) => {
    expect(checkToolSchema(schema)).toEqual([])
    const { errors } = inTime(() => createCoercer(schema).coerce({ other: 1 }))
    expect(errors).toMatchObject([{ constraint: 'unevaluatedProperties' }])
  })

  it.each([3000, 50])('answers soon for values of an enum of %i members', (members) => {
    const values = Array.from({ length: members }, (_, n) => `e${n}`)
    const coercer = createCoercer({ type: 'array', items: { enum: values } })
    const list = Array.from({ length: 100_000 }, () => 'e7')
    expect(inTime(() => coercer.coerce(list)).value).toBe(list)
    expect(coercer.coerce(['e2', 'e']).errors).toMatchObject([{ path: '/1', constraint: 'enum' }])
  })
})

describe('long arguments of a schema that leads back to itself', { timeout: 60_000 }, () => {
  const any = { $ref: '#/$defs/any' }
  const scalars = ['string', 'number', 'boolean', 'null'].map((type) => ({ type }) as JsonSchema)
  const object: JsonSchema = { type: 'object', additionalProperties: any }
  const json: JsonSchema = { anyOf: [...scalars, { type: 'array', items: any }, object] }
  it.each<[string, JsonSchema, (n: number) => unknown]>([
    ['numbers', json, () => 1],
    ['objects', json, (n) => ({ a: n })],
    ['lists', { type: 'array', items: any }, () => []],
  ])('are checked, repaired and explained: %s', (_name, definition, entry) => {
    const properties = { x: any, n: { type: 'integer' } } as const
    const { coerce } = createCoercer({ properties, $defs: { any: definition } })
    const x = Array.from({ length: 100_000 }, (_, n) => entry(n))
    expect(coerce({ x, n: 1 }).valid).toBe(true)
    expect(coerce({ x, n: '1' }).valid).toBe(true)
    expect(coerce({ x, n: 'x' }).errors).toMatchObject([{ path: '/n', constraint: 'type' }])
  })
})

describe('a union of many branches', { timeout: 60_000 }, () => {
  const branches = Array.from({ length: 80 }, (_, n) => ({
    type: 'object',
    properties: { k: { const: `k${n}` }, v: { type: 'integer' } },
    required: ['k', 'v'],
  }))
  const coercer = createCoercer({ type: 'array', items: { oneOf: branches } })

  it('is explained where a megabyte of items fits none of them', () => {
    const args = Array.from({ length: 45_000 }, () => ({ k: 'z', v: '5' }))
    const { errors } = inTime(() => coercer.coerce(args))
    expect(errors.length).toBeGreaterThan(5)
    for (const [index, error] of errors.entries()) {
      expect(error).toMatchObject({ path: `/${index}/k`, constraint: 'const' })
    }
  })

  it('is explained at the end of many items that fit', () => {
    const args = Array.from({ length: 5000 }, () => ({ k: 'k70', v: 5 }))
    const { errors } = coercer.coerce([...args, { k: 'k3', v: 'x' }])
    expect(errors).toMatchObject([{ path: '/5000/v', constraint: 'type' }])
  })

  const list = { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }
  it.each([
    ['inside', list],
    ['behind a reference inside', { $ref: '#/$defs/list' }],
    ['of references inside', { type: 'array', items: { $ref: '#/$defs/list/items' } }],
  ])('says nothing of a list %s another union that fits', (_where, branch) => {
    const x = { anyOf: [branch, { type: 'array' }] }
    const { coerce } = createCoercer({ properties: { x }, required: ['y'], $defs: { list } })
    const { errors } = coerce({ x: Array.from({ length: 5000 }, () => 'no') })
    expect(errors).toMatchObject([{ path: '', constraint: 'required', suggestion: 'y' }])
  })
})
