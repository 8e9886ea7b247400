import type { Repair } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createCoercer, sanitizeSchema } from '../src/index.ts'
import { chooser, replaceOne, seeds } from './support/choices.ts'
import { encode, showNames, wrap } from './support/encode.ts'
import { runs } from './support/runs.ts'
import { validCase, type Schema } from './support/schemas.ts'

type Fields = Record<string, unknown>

describe('for generated schemas and values', { timeout: 240_000 }, () => {
  it('repairs lead from what came to the result, one after the other', () => {
    fc.assert(
      fc.property(
        validCase,
        seeds,
        fc.jsonValue(),
        fc.nat(),
        ({ schema, value }, seed, junk, place) => {
          const shown = sanitizeSchema(schema, { provider: 'bedrock' }).schema as Schema
          const renamed = showNames(schema, shown, schema, shown, replaceOne(value, junk, place))
          const wrapped = wrap(shown, shown, renamed, chooser(seed))
          for (const args of [encode(shown, shown, renamed, chooser(seed)), wrapped]) {
            const result = createCoercer(schema, { provider: 'bedrock' }).coerce(args)
            expect(replay(args, result.repairs)).toEqual(result.value)
          }
        },
      ),
      runs(2000),
    )
  })
})

/** Makes the changes that a report names, each of which must find what it says it begins with. */
function replay(args: unknown, repairs: readonly Repair[]): unknown {
  const whole = { root: structuredClone(args) }
  for (const { path, from, to, rule } of repairs) {
    const names = `root${path}`.split('/').map((t) => t.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() as string
    const parent = names.reduce<unknown>((part, name) => (part as Fields)[name], whole) as Fields
    if (rule === 'rename') {
      expect(Object.keys(parent)).toContain(from)
      expect(to).toBe(last)
      const { [from as string]: own } = parent
      delete parent[from as string]
      parent[last] = own
      continue
    }
    expect(parent[last]).toEqual(from)
    if (rule === 'drop-null') delete parent[last]
    else parent[last] = structuredClone(to)
  }
  return whole.root
}
