import type { JsonSchema } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { checkToolSchema, createCoercer } from '../src/index.ts'

function coerce(schema: JsonSchema, args: unknown): unknown {
  expect(checkToolSchema(schema)).toEqual([])
  const { value, valid } = createCoercer(schema).coerce(args)
  return valid ? value : 'invalid'
}

describe('a pointer in a part with an $id of its own', () => {
  const part = {
    $id: 'https://example.test/part',
    type: 'object',
    properties: { v: { $ref: '#/$defs/V' }, again: { $ref: '#' } },
    $defs: { V: { type: 'string' } },
  }

  it.each([
    ['by its id', { a: { $ref: 'https://example.test/part' } }],
    ['by a pointer', { a: { $ref: '#/$defs/part' } }],
    ['where it stands', { a: part }],
  ] as [string, Record<string, JsonSchema>][])(
    'begins at that part, which is reached %s',
    (_how, properties) => {
      const $defs = { part, V: { type: 'integer' } }
      const schema = { $id: 'https://example.test/root', type: 'object', properties, $defs }
      const args = { a: { v: '1', again: { v: '2' } } }
      expect(coerce(schema, args)).toBe(args)
    },
  )

  it('begins at the document where the part has no such place, as older tools write it', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { a: { id: '/properties/a', items: { $ref: '#/definitions/n' }, type: 'array' } },
      definitions: { n: { type: 'integer' } },
    } as const
    expect(coerce(schema, { a: ['1'] })).toEqual({ a: [1] })
  })

  it('begins at the document where the id is an anchor', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: {
        n: { type: 'integer' },
        list: { $id: '#list', items: { $ref: '#/definitions/n' } },
      },
      properties: { a: { $ref: '#/definitions/list' } },
    } as const
    expect(coerce(schema, { a: ['1'] })).toEqual({ a: [1] })
  })
})

describe('a reference', () => {
  it('follows anchors, embedded ids and dynamic references', () => {
    const $defs = {
      a: { $anchor: 'spot', type: 'integer' },
      b: { $id: 'https://example.test/b', type: 'boolean' },
      c: { $dynamicAnchor: 'dyn', type: 'integer' },
    }
    const properties = {
      a: { $ref: '#spot' },
      b: { $ref: 'https://example.test/b' },
      c: { $dynamicRef: '#dyn' },
    }
    expect(
      createCoercer({ type: 'object', properties, $defs }).coerce({ a: '1', b: 'true', c: '2' }),
    ).toMatchObject({ value: { a: 1, b: true, c: 2 }, valid: true })
  })

  it('keeps schemas with the same id apart', () => {
    const one = createCoercer({
      $id: 'same',
      properties: { x: { $ref: '#/$defs/t' } },
      $defs: { t: { type: 'integer' } },
    })
    const two = createCoercer({
      $id: 'same',
      properties: { x: { $ref: '#/$defs/t' } },
      $defs: { t: { type: 'boolean' } },
    })
    expect(one.coerce({ x: '1' }).value).toEqual({ x: 1 })
    expect(two.coerce({ x: 'true' }).value).toEqual({ x: true })
    expect(one.coerce({ x: true }).valid).toBe(false)
  })
})
