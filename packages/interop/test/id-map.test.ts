import { CallgateError } from '@callgate/spec'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createIdMap, type IdForm } from '../src/index.ts'

const forms: readonly (readonly [IdForm, RegExp])[] = [
  ['openai-chat', /^[^]{1,40}$/],
  ['openai-responses', /^[^]{1,64}$/],
  ['anthropic', /^[a-zA-Z0-9_-]+$/],
  ['bedrock', /^[a-zA-Z0-9_-]{1,64}$/],
  ['mistral', /^[a-zA-Z0-9]{9}$/],
]
const runs = process.env['CI'] ? 1000 : 100

describe('createIdMap', () => {
  it.each(forms)('gives %s ids in its form, one for each, and turns them back', (form, pattern) => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 90 })), (ids) => {
        const map = createIdMap(form)
        const given = ids.map((id) => map.toProvider(id))
        for (const id of given) expect(id).toMatch(pattern)
        expect(new Set(given).size).toBe(ids.length)
        expect(given.map((id) => map.fromProvider(id))).toEqual(ids)
      }),
      { numRuns: runs },
    )
  })

  it('keeps an id that fits', () => {
    expect(createIdMap('anthropic').toProvider('call_1834aea53cc1')).toBe('call_1834aea53cc1')
    expect(createIdMap('mistral').toProvider('D681PevKs')).toBe('D681PevKs')
  })

  it('maps the same id to the same text in every conversation', () => {
    const once = createIdMap('mistral')
    const again = createIdMap('mistral')
    once.toProvider('another first')
    expect(again.toProvider('call_1834aea53cc1')).toBe(once.toProvider('call_1834aea53cc1'))
  })

  it('gives another id to the later of two that would meet', () => {
    const map = createIdMap('mistral')
    const first = map.toProvider('call_1834aea53cc1')
    expect(map.toProvider(first)).not.toBe(first)
    expect(map.fromProvider(first)).toBe('call_1834aea53cc1')
  })

  it('leaves an id of the provider that it never gave out', () => {
    expect(createIdMap('bedrock').fromProvider('tooluse_x')).toBe('tooluse_x')
  })

  it('takes a number for its text, as wherever a call is read', () => {
    const map = createIdMap('mistral')
    const given = map.toProvider(7 as never)
    expect(given).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(map.toProvider('7')).toBe(given)
    expect(map.fromProvider(given)).toBe('7')
    expect(createIdMap('openai-chat').toProvider(7 as never)).toBe('7')
    expect(map.fromProvider(123_456_789n as never)).toBe('123456789')
  })

  it.each([
    [undefined, 'missing'],
    [null, 'null'],
    [true, 'a boolean'],
    [{}, 'an object without keys'],
    [['call_1'], 'a list of 1'],
  ])('refuses what is no id, both ways: %j', (id, what) => {
    const map = createIdMap('bedrock')
    for (const turned of [map.toProvider, map.fromProvider]) {
      expect(() => turned(id as never)).toThrow(
        expect.objectContaining({
          name: 'CallgateError',
          code: 'malformed_call',
          rule: 'call-id',
          message: `The id of a call is ${what}; expected text.`,
        }),
      )
    }
  })

  it('names the forms it knows when it is given another', () => {
    expect(() => createIdMap('toString' as IdForm)).toThrow(CallgateError)
  })
})
