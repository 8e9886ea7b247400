import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createCoercer, sanitizeSchema, unrename } from '../src/index.ts'
import { runs } from './support/runs.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly [keyword: string]: unknown
}

const names = fc
  .subarray(['a b', 'a/b', 'a_b', 'a?b', 'a_b_2', 'x'])
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }))
const texts = names.map((list) =>
  Object.fromEntries(list.map((name) => [name, { type: 'string' }])),
)

/** Objects in objects, whose names become the same, in parts and in the definitions of these names. */
function objects(levels: number, definitions: readonly string[]): fc.Arbitrary<Schema> {
  const f: fc.Arbitrary<Schema> = levels > 0 ? objects(levels - 1, definitions) : fc.constant({})
  const allOf = fc.array(f, { minLength: 1, maxLength: 2 })
  const $ref = fc.constantFrom(...definitions).map((name) => `#/$defs/${name}`)
  return fc
    .tuple(texts, fc.record({ f, allOf, $ref }, { requiredKeys: [] }))
    .map(([own, { f: field, ...parts }]) => {
      return { type: 'object', properties: { ...own, ...(field && { f: field }) }, ...parts }
    })
}

type Field = readonly [path: readonly string[], own: string]

/** Where a schema shows texts, with the name of each in the tool. */
function shownTexts({ properties = {} }: Schema, path: readonly string[]): Field[] {
  return Object.entries(properties).flatMap(([name, field]): Field[] => {
    const below = [...path, name]
    if (field['type'] !== 'string') return shownTexts(field, below)
    const own = /\((".*")\)$/.exec(field.description ?? '')?.[1]
    return [[below, own === undefined ? name : (JSON.parse(own) as string)]]
  })
}

const three = ['a b', 'a/b', 'x'] as const
const required = fc.subarray([...three], { minLength: 1, maxLength: 2 })

/** What is said of an object whose fields are declared elsewhere, or in a definition. */
const { part } = fc.letrec<{ part: Schema; some: Schema[] }>((tie) => ({
  some: fc.array(tie('part'), { minLength: 1, maxLength: 2 }),
  part: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'part' },
    fc.record({ required }),
    fc.record({ dependentRequired: fc.dictionary(fc.constantFrom(...three), required) }),
    fc.constant({ $ref: '#/$defs/D' }),
    fc.record({ allOf: tie('some') }),
    fc.record({ anyOf: tie('some'), required }),
    fc.record({ not: tie('part') }),
    fc.record({ if: tie('part'), then: tie('part'), else: tie('part') }),
    fc.record({ dependentSchemas: fc.dictionary(fc.constantFrom(...three), tie('part')) }),
  ),
}))

/** Own names to shown names, in all parts of a shown schema. */
function shownNames(schema: unknown): [own: string, shown: string][] {
  if (typeof schema !== 'object' || !schema) return []
  const { properties = {} } = schema as Schema
  const here = Object.entries(properties).flatMap(([name, { type, description }]) => {
    const own = /^\((".*")\)$/.exec(description ?? '')?.[1]
    return type === 'string'
      ? [[own ? String(JSON.parse(own)) : name, name] as [string, string]]
      : []
  })
  return [...here, ...Object.values(schema).flatMap(shownNames)]
}

describe('names that become the same', () => {
  it('are told apart in all parts, or said to be lost', { timeout: 120_000 }, () => {
    const D = fc.oneof(
      fc.record({ properties: texts }),
      fc.record({ required }),
      fc.record({ properties: texts, required }),
    )
    const type = 'string'
    const declared = texts.map((some) => ({
      ...some,
      'a b': { type },
      'a/b': { type },
      x: { type },
    }))
    const shape = fc.oneof(
      fc.tuple(declared, part).map(([properties, said]) => ({ properties, ...said })),
      fc.tuple(declared, part).map(([properties, said]) => ({ allOf: [{ properties }, said] })),
    )
    fc.assert(
      fc.property(shape, D, fc.subarray([...three]), (f, definition, own) => {
        const $defs = { D: definition }
        const schema = { type: 'object', properties: { f }, $defs } as JsonSchema
        const { schema: shown, lossy } = sanitizeSchema(schema, { provider: 'anthropic' })
        if (lossy.length > 0) return
        const shownAs = new Map(shownNames((shown as Schema).properties))
        const fits = (one: JsonSchema, list: readonly string[]): boolean => {
          const args = { f: Object.fromEntries(list.map((name) => [name, 'v'])) }
          return createCoercer(one, { provider: 'openai' }).coerce(args).valid
        }
        const sent = own.map((name) => shownAs.get(name) as string)
        expect(fits(shown, sent)).toBe(fits(schema, own))
      }),
      runs(5000),
    )
  })

  it('come back from any depth where parts are shown as one', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        objects(2, ['A', 'B']),
        objects(1, ['B', 'C']),
        objects(1, ['C']),
        (whole, A, B) => {
          const schema = { ...whole, $defs: { A, B, C: {} } } as JsonSchema
          const { schema: shown, lossy } = sanitizeSchema(schema, { provider: 'gemini' })
          // Where a reference is met inside itself, the rest is not shown.
          if (lossy.length > 0) return
          for (const [path, own] of shownTexts(shown as Schema, [])) {
            const sent = inside(path, 'v')
            const wanted = inside([...path.slice(0, -1), own], 'v')
            expect(unrename(schema, sent, { provider: 'gemini' })).toEqual(wanted)
          }
        },
      ),
      runs(5000),
    )
  })
})

function inside(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value)
}
