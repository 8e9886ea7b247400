import type { JsonSchema } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sanitizeSchema, unrename } from '../src/index.ts'
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

describe('names that become the same', () => {
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
