import type { AssistantTurn, ToolCallIn } from '@callgate/spec'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { writeTurn, type Provider } from '../src/index.ts'

const runs = process.env['CI'] ? 2000 : 200

/** Anything a provider or a proxy could put beside the calls. */
const foreign = fc.oneof(
  fc.constantFrom(null, undefined, 0, 'text'),
  fc.record({
    type: fc.constantFrom('thinking', 'redacted_thinking', 'reasoning', 'server_tool_use'),
  }),
  fc.record({ type: fc.constant('custom'), id: fc.string() }),
  fc.record({ text: fc.string() }),
)
const ids = fc.uniqueArray(
  fc.oneof(
    fc.stringMatching(/^[a-z]{1,3}(_d[2-9])?$/),
    fc.stringMatching(/^(call|toolu)_[0-9a-f]{12}$/),
    fc
      .string({ unit: 'binary', minLength: 1, maxLength: 80 })
      .map((text) => `x${text.replaceAll('|', '')}x`),
  ),
  { maxLength: 8 },
)
const args = fc.oneof(
  fc.constant('{"a": 1}'),
  fc.constant('{"a": '),
  fc.record({ b: fc.integer() }),
)

/** Original entries with some of the ids, some blank, and calls with the rest of them, in any order. */
const turns = ids.chain((all) =>
  fc.record({
    calls: fc.tuple(
      ...all.map((id) =>
        fc
          .record({ name: fc.constantFrom('tool_call', 'x'), arguments: args })
          .map((rest): ToolCallIn => ({ id, ...rest })),
      ),
    ),
    slots: fc.array(
      fc.oneof(
        fc.constantFrom(...all, '', ' ', 'gone', null),
        foreign.map((item) => ({ foreign: item })),
      ),
      { maxLength: 12 },
    ),
  }),
)

interface Form {
  readonly item: (id: unknown) => unknown
  readonly message: (items: readonly unknown[]) => unknown
  readonly items: (written: unknown) => readonly unknown[]
  readonly idOf: (item: unknown) => unknown
}

const blocksOf = (written: unknown): readonly unknown[] =>
  (written as { content: readonly unknown[] }).content
const field = (item: unknown, name: string): unknown =>
  typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[name] : undefined

const forms: { readonly [P in Provider]: Form } = {
  'openai-chat': {
    item: (id) => ({ id, type: 'function', function: { name: 'x', arguments: '{"a": 1}' } }),
    message: (items) => ({ role: 'assistant', content: null, tool_calls: items }),
    items: (written) => (field(written, 'tool_calls') ?? []) as readonly unknown[],
    idOf: (item) => (field(item, 'function') === undefined ? undefined : field(item, 'id')),
  },
  'openai-responses': {
    item: (id) => ({ type: 'function_call', call_id: id, name: 'x', arguments: '{"a": 1}' }),
    message: (items) => items,
    items: (written) => written as readonly unknown[],
    idOf: (item) => field(item, 'call_id'),
  },
  anthropic: {
    item: (id) => ({ type: 'tool_use', id, name: 'x', input: { a: 1 } }),
    message: (items) => ({ role: 'assistant', content: items }),
    items: blocksOf,
    idOf: (item) => (field(item, 'type') === 'tool_use' ? field(item, 'id') : undefined),
  },
  bedrock: {
    item: (id) => ({ toolUse: { toolUseId: id, name: 'x', input: { a: 1 } } }),
    message: (items) => ({ role: 'assistant', content: items }),
    items: blocksOf,
    idOf: (item) => field(field(item, 'toolUse'), 'toolUseId'),
  },
}

/** In a list of OpenAI chat calls, an object without a type of its own is a call. */
const isForeignTo = (provider: Provider, item: unknown): boolean =>
  provider !== 'openai-chat' || field(item, 'text') === undefined

describe.each(Object.keys(forms) as Provider[])('any turn written for %s', (provider) => {
  const form = forms[provider]

  it.each([false, true])('pairs every call with one entry (blocks in the turn: %s)', (carried) => {
    fc.assert(
      fc.property(turns, ({ calls, slots }) => {
        const items: unknown[] = []
        const others: unknown[] = []
        for (const slot of slots) {
          if (typeof slot !== 'object' || slot === null) items.push(form.item(slot))
          else if (isForeignTo(provider, slot.foreign)) {
            items.push(slot.foreign)
            others.push(slot.foreign)
          }
        }
        const turn: AssistantTurn = {
          toolCalls: calls,
          ...(carried ? { contentBlocks: { anthropic: items, bedrock: items } } : {}),
        }
        const given = form.items(writeTurn(turn, provider, form.message(items)))
        const entries = given.filter((item) => form.idOf(item) !== undefined)
        expect(entries).toHaveLength(calls.length)
        expect(new Set(entries.map(form.idOf)).size).toBe(calls.length)
        const rest = given.filter((item) => form.idOf(item) === undefined)
        expect(rest).toHaveLength(others.length)
        expect(rest.every((item, index) => Object.is(item, others[index]))).toBe(true)
      }),
      { numRuns: runs },
    )
  })
})
