import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createCoercer } from '../src/index.ts'

describe('one value for a list of lists of itself', () => {
  const tree = (items: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { tree: { $ref: '#/$defs/Tree' } },
    $defs: {
      Tree: { type: 'array', items },
      Twin: { type: 'array', items: { $ref: '#/$defs/Tree' } },
    },
  })
  const own = { $ref: '#/$defs/Tree' }

  it.each<[string, JsonSchema]>([
    ['alone', own],
    ['or an object', { anyOf: [{ type: 'object' }, own] }],
    ['or a boolean', { oneOf: [own, { type: 'boolean' }] }],
    ['or another such list', { anyOf: [{ $ref: '#/$defs/Twin' }, own] }],
  ])('is an error that names the place and the type: %s', (_what, items) => {
    const { coerce } = createCoercer(tree(items))
    for (const args of [{ tree: 'no' }, { tree: ['no'] }, { tree: [['no'], []] }, { tree: [5] }]) {
      const { value, errors } = coerce(args)
      expect(value).toBe(args)
      expect(errors).not.toEqual([])
      for (const error of errors) expect(error.path).toMatch(/^\/tree/)
    }
  })

  it('is read where it is an entry', () => {
    const { coerce } = createCoercer(tree({ anyOf: [{ type: 'integer' }, own] }))
    expect(coerce({ tree: '5' })).toMatchObject({ value: { tree: [5] }, valid: true })
    expect(coerce({ tree: ['5', ['6']] })).toMatchObject({ value: { tree: [5, [6]] }, valid: true })
  })

  it('is wrapped as often as lists stand in lists', () => {
    const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
    const { coerce } = createCoercer({ properties: { x: list(list(list({ type: 'integer' }))) } })
    expect(coerce({ x: '5' })).toMatchObject({ value: { x: [[[5]]] }, valid: true })
  })

  it('ends a call soon where envelopes stand in envelopes', () => {
    const { coerce } = createCoercer(tree(own))
    let value: unknown = 'no'
    for (let level = 0; level < 190; level++) value = { item: value }
    const args = { tree: value }
    expect(coerce(args)).toMatchObject({ value: args, valid: false })
  })
})
