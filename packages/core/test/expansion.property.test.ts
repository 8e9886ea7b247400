import type { AssistantTurn } from '@callgate/spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { effectiveId, expandToolCalls } from '../src/index.ts'

const runs = process.env['CI'] ? 10_000 : 1000

const name = fc.constantFrom(
  'a',
  'mcp__x__y',
  'connectors__a__B',
  'tool_search',
  ' padded ',
  '',
  5,
  null,
)
const entry = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      name,
      arguments: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.json(), fc.constant(null)),
    }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
)
const batch = fc.record({
  calls: fc.oneof(
    { weight: 9, arbitrary: fc.array(entry, { maxLength: 12 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  ),
})
const args = fc.oneof(
  { weight: 4, arbitrary: batch.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: batch },
  { weight: 1, arbitrary: fc.anything() },
)
const id = fc.constantFrom('k', 'k', 'k_d2', ' k ', 'k|fc', '', null, undefined, 7)
const call = fc.record(
  {
    id,
    name: fc.constantFrom('tool_call', 'tool_call', 'other'),
    arguments: args,
    callId: fc.constantFrom('c', ''),
  },
  { requiredKeys: ['name', 'arguments'] },
)
const block = fc.oneof(
  fc.record({
    type: fc.constant('tool_use'),
    id,
    name: fc.constant('tool_call'),
    input: fc.constant({}),
  }),
  fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: fc.string() }),
  fc.record({ toolUse: fc.record({ toolUseId: id, name: fc.string(), input: fc.constant({}) }) }),
  fc.anything(),
)
const turn = fc.record(
  {
    toolCalls: fc.array(call, { maxLength: 5 }),
    contentBlocks: fc.record(
      { anthropic: fc.array(block), bedrock: fc.array(block), codex: fc.array(block) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['toolCalls'] },
) as fc.Arbitrary<AssistantTurn>

function freeze<T>(value: T): T {
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.isFrozen(value) ||
    ArrayBuffer.isView(value)
  )
    return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) freeze((value as Record<PropertyKey, unknown>)[key])
  return value
}

describe('expandToolCalls', () => {
  it('done twice gives the same object as done once', () => {
    fc.assert(
      fc.property(turn, (given) => {
        const once = expandToolCalls(given)
        expect(expandToolCalls(once)).toBe(once)
      }),
      { numRuns: runs },
    )
  })

  it('gives every call of a turn an id of its own', () => {
    fc.assert(
      fc.property(turn, (given) => {
        const ids = expandToolCalls(given).toolCalls.map(effectiveId)
        expect(ids).not.toContain('')
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { numRuns: runs },
    )
  })

  it('changes nothing of what it was given, and leaves every block that is no tool call the same object in the same order', () => {
    fc.assert(
      fc.property(turn, (given) => {
        const after = expandToolCalls(freeze(given))
        for (const carrier of ['anthropic', 'bedrock', 'codex'] as const) {
          const before = (given.contentBlocks?.[carrier] ?? []) as readonly unknown[]
          const now = (after.contentBlocks?.[carrier] ?? []) as readonly unknown[]
          const kept = before.filter((part) => now.includes(part))
          const foreign = before.filter((part) => !isTool(part))
          expect(kept).toEqual(expect.arrayContaining(foreign))
          expect(now.filter((part) => kept.includes(part))).toEqual(kept)
        }
      }),
      { numRuns: runs },
    )
  })

  it('is deterministic: the same turn gives the same ids and texts', () => {
    fc.assert(
      fc.property(turn, (given) => {
        expect(expandToolCalls(given)).toEqual(expandToolCalls(given))
      }),
      { numRuns: runs / 10 },
    )
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expandToolCalls(anything as AssistantTurn)
        expandToolCalls({ toolCalls: anything } as AssistantTurn)
        expandToolCalls({ toolCalls: [anything] } as AssistantTurn)
      }),
      { numRuns: runs },
    )
    const thrower = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    )
    expect(expandToolCalls(thrower as AssistantTurn)).toBe(thrower)
  })

  it('takes no long time and no deep stack on deep and long arguments', () => {
    const deep = `{"calls":[{"name":"a","arguments":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}},{"name":"b"}]}`
    const long = `{"calls":[{"name":"a","arguments":{"x":"${'y'.repeat(2_000_000)}"}},{"name":"b"}]}`
    const given = { toolCalls: [{ id: 'a', name: 'tool_call', arguments: deep }] }
    expect(expandToolCalls(given)).toBe(given)
    expect(
      expandToolCalls({ toolCalls: [{ id: 'a', name: 'tool_call', arguments: long }] }).toolCalls,
    ).toHaveLength(2)
  })
})

function isTool(part: unknown): boolean {
  const { type, toolUse } = (typeof part === 'object' && part !== null ? part : {}) as {
    type?: unknown
    toolUse?: unknown
  }
  return type === 'tool_use' || (typeof toolUse === 'object' && toolUse !== null)
}
