import { createGateway, defineTool, effectiveId, expandToolCalls } from '@callgate/core'
import { createIdMap, readTurn, writeResults, writeTurn, type Provider } from '@callgate/interop'
import type { AssistantTurn } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

const calls = [
  { name: 'greet', arguments: { who: 'Ann' } },
  { name: 'greet', arguments: { who: 'Bo' } },
]
const text = JSON.stringify({ calls })
const thinking = { type: 'thinking', thinking: 'Two.', signature: 'EqQBCkYIBxgC' }
const reasoningContent = { reasoningContent: { reasoningText: { text: 'Two.', signature: 'Eqo' } } }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }

/** One recorded answer of each provider: a thought, a batch of two and a single call. */
const recorded: { readonly [P in Provider]: unknown } = {
  'openai-chat': {
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'tool_call', arguments: text } },
            {
              id: 'call_2',
              type: 'function',
              function: { name: 'greet', arguments: '{"who":"Cy"}' },
            },
          ],
        },
      },
    ],
  },
  'openai-responses': {
    output: [
      reasoning,
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'tool_call', arguments: text },
      {
        type: 'function_call',
        id: 'fc_2',
        call_id: 'call_2',
        name: 'greet',
        arguments: '{"who":"Cy"}',
      },
    ],
  },
  anthropic: {
    role: 'assistant',
    content: [
      thinking,
      { type: 'tool_use', id: 'toolu_1', name: 'tool_call', input: { calls } },
      null,
      { type: 'tool_use', id: 'toolu_2', name: 'greet', input: { who: 'Cy' } },
    ],
  },
  bedrock: {
    output: {
      message: {
        role: 'assistant',
        content: [
          reasoningContent,
          { toolUse: { toolUseId: 'tooluse_1', name: 'tool_call', input: { calls } } },
          { toolUse: { toolUseId: 'tooluse_2', name: 'greet', input: { who: 'Cy' } } },
        ],
      },
    },
  },
}

const providers = Object.keys(recorded) as Provider[]
const thoughts: readonly unknown[] = [thinking, reasoningContent, reasoning, null]

function gateway() {
  const greet = defineTool({
    namespace: 'local',
    name: 'greet',
    description: 'Greets somebody.',
    parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
    deferred: true,
    execute: ({ who }) => `Hello ${String(who)}`,
  })
  return createGateway({ tools: [greet] })
}

type Item = { readonly [key: string]: unknown } | null

function itemsOf(provider: Provider, message: unknown): readonly Item[] {
  const { tool_calls: entries, content } = message as { tool_calls?: Item[]; content?: Item[] }
  if (provider === 'openai-responses') return message as Item[]
  return (provider === 'openai-chat' ? entries : content) ?? []
}

/** The ids of calls in a written message, or in the messages that go back; those of items are left out. */
function callIds(value: unknown): readonly string[] {
  const keys = '"(?:id|call_id|toolUseId|tool_use_id|tool_call_id)":"([^"]*)"'
  return [...JSON.stringify(value).matchAll(new RegExp(keys, 'g'))]
    .map((match) => match[1]!)
    .filter((id) => !/^(rs|fc)_/.test(id))
}

describe.each(providers)('a recorded batch of %s', (provider) => {
  const original = recorded[provider]

  it('is stored with one entry a call, and thoughts as the same objects', () => {
    const turn = expandToolCalls(readTurn(original).turn)
    const items = itemsOf(provider, writeTurn(turn, provider, original))
    expect(turn.toolCalls).toHaveLength(3)
    expect(callIds(items)).toEqual(turn.toolCalls.map(effectiveId))
    const kept = itemsOf(provider, firstMessage(original)).filter((item) => thoughts.includes(item))
    expect(items.filter((item) => kept.includes(item))).toEqual(kept)
  })

  it('comes back as itself when expansion changes nothing', () => {
    const written = writeTurn(expandToolCalls(readTurn(original).turn), provider, original)
    const { turn } = readTurn(written)
    expect(expandToolCalls(turn)).toBe(turn)
    expect(writeTurn(turn, provider, written)).toBe(written)
  })

  it('runs, and every stored call has one result in the same order', async () => {
    const open = gateway()
    let stored: unknown
    const ids = createIdMap(provider === 'openai-chat' ? 'mistral' : provider)
    const { results } = await open.runTurn(readTurn(original).turn, {
      onExpanded: (expanded: AssistantTurn) => {
        stored = writeTurn(expanded, provider, original, { ids })
      },
    })
    await open.close()
    const back = writeResults(results, provider, { ids })
    const texts = JSON.stringify(back)
    expect(results.map((result) => result.status)).toEqual(['ok', 'ok', 'ok'])
    expect(['Ann', 'Bo', 'Cy'].every((who) => texts.includes(`Hello ${who}`))).toBe(true)
    expect(callIds(back)).toEqual(callIds(stored))
  })
})

/** The bare message in a response body. */
function firstMessage(body: unknown): unknown {
  const { choices, output } = body as { choices?: { message: unknown }[]; output?: unknown }
  if (choices !== undefined) return choices[0]?.message
  if (Array.isArray(output)) return output
  return output === undefined ? body : (output as { message: unknown }).message
}
