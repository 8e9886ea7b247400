import { CallgateError, type AssistantTurn } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createIdMap, readTurn, writeTurn } from '../src/index.ts'
import {
  anthropic,
  bedrock,
  expanded,
  logText,
  openAiChat,
  openAiResponses,
  readText,
} from './fixtures/index.ts'

describe('writeTurn with nothing changed', () => {
  it('gives back the message of OpenAI chat itself', () => {
    const { turn } = readTurn(openAiChat)
    expect(writeTurn(turn, 'openai-chat', openAiChat)).toBe(openAiChat.choices[0]?.message)
  })

  it('gives back the items of OpenAI responses themselves', () => {
    const { turn } = readTurn(openAiResponses)
    expect(writeTurn(turn, 'openai-responses', openAiResponses)).toBe(openAiResponses.output)
  })

  it('strips an answer of Anthropic to what can be sent back', () => {
    const { turn } = readTurn(anthropic)
    const written = writeTurn(turn, 'anthropic', anthropic)
    expect(Object.keys(written)).toEqual(['role', 'content'])
    expect(written['content']).toBe(anthropic.content)
  })

  it('gives back a bare message of Bedrock itself', () => {
    const { message } = bedrock.output
    const { turn } = readTurn(message)
    expect(writeTurn(turn, 'bedrock', message)).toBe(message)
  })

  it.each([
    ['openai-chat', { role: 'assistant', content: 'Done.' }],
    ['anthropic', { role: 'assistant', content: 'Done.' }],
  ] as const)('gives back a text of %s itself', (provider, message) => {
    expect(writeTurn({ toolCalls: [] }, provider, message)).toBe(message)
  })
})

describe('writeTurn after expansion', () => {
  it('writes OpenAI calls in order, each under its own id, and keeps what others answer', () => {
    const { turn } = readTurn(openAiChat)
    const written = writeTurn(expanded(turn), 'openai-chat', openAiChat)
    const original = openAiChat.choices[0]!.message
    const calls = written['tool_calls'] as { id: string; function?: { arguments: string } }[]
    expect(calls.map((call) => call.id)).toEqual([
      'call_DdmO9pD3xa9XTPNJ32zg2hcA',
      'call_1834aea53cc1',
      'call_custom',
      'call_weather',
    ])
    expect(calls[0]).toEqual({
      ...original.tool_calls[0],
      function: { name: 'tool_call', arguments: readText },
    })
    expect(calls[1]?.function?.arguments).toBe(logText)
    expect(calls[2]).toBe(original.tool_calls[1])
    expect(calls[3]).toBe(original.tool_calls[2])
    expect(written['content']).toBeNull()
  })

  it('puts entries where their batch stood among the items of OpenAI responses', () => {
    const { turn } = readTurn(openAiResponses)
    const written = writeTurn(expanded(turn), 'openai-responses', openAiResponses)
    const [reasoning, , second, weather, message] = openAiResponses.output
    expect(written).toHaveLength(6)
    expect(written[0]).toBe(reasoning)
    expect(written[1]).toMatchObject({ id: 'fc_6820f383d7c0aaa1', call_id: 'call_batch' })
    expect(written[2]).toEqual({
      type: 'function_call',
      call_id: 'call_1834aea53cc1',
      name: 'tool_call',
      arguments: logText,
    })
    expect(written[3]).toBe(second)
    expect(written[4]).toBe(weather)
    expect(written[5]).toBe(message)
  })

  it('takes the blocks that expansion has rewritten as they are', () => {
    const { turn } = readTurn(anthropic)
    const blocks = [...anthropic.content] as unknown[]
    const first = {
      type: 'tool_use',
      id: anthropic.content[5]?.id,
      name: 'tool_call',
      input: { calls: [] },
    }
    const next = { ...first, id: 'call_1834aea53cc1' }
    blocks.splice(5, 1, first, next)
    const after: AssistantTurn = { ...expanded(turn), contentBlocks: { anthropic: blocks } }
    expect(writeTurn(after, 'anthropic', anthropic)['content']).toBe(blocks)
  })

  it('makes blocks for entries that have none and keeps signed blocks the same objects', () => {
    const { turn } = readTurn(anthropic)
    const after: AssistantTurn = { toolCalls: expanded(turn).toolCalls }
    const content = writeTurn(after, 'anthropic', anthropic)['content'] as unknown[]
    expect(content).toHaveLength(9)
    expect(content.slice(0, 5).every((block, index) => block === anthropic.content[index])).toBe(
      true,
    )
    expect(content[5]).toEqual({
      ...anthropic.content[5],
      input: { calls: [{ name: 'mcp__files__read', arguments: { path: 'alpha' } }] },
    })
    expect(content[6]).toEqual({
      type: 'tool_use',
      id: 'call_1834aea53cc1',
      name: 'tool_call',
      input: { calls: [{ name: 'mcp__git__log', arguments: { n: 3 } }] },
    })
    expect(content[7]).toBe(anthropic.content[6])
    expect(content[8]).toBe(anthropic.content[7])
  })

  it('does the same for Bedrock', () => {
    const { turn } = readTurn(bedrock)
    const after: AssistantTurn = { toolCalls: expanded(turn).toolCalls }
    const content = writeTurn(after, 'bedrock', bedrock)['content'] as unknown[]
    const original = bedrock.output.message.content
    expect(content).toHaveLength(5)
    expect(content[0]).toBe(original[0])
    expect(content[3]).toEqual({
      toolUse: {
        toolUseId: 'call_1834aea53cc1',
        name: 'tool_call',
        input: { calls: [{ name: 'mcp__git__log', arguments: { n: 3 } }] },
      },
    })
    expect(content[4]).toBe(original[3])
  })
})

/** A call among the items of OpenAI responses. */
function outputCall(id: string): unknown {
  return { type: 'function_call', call_id: id, name: 'x', arguments: '{}' }
}

describe('writeTurn and ids', () => {
  it('writes the id that the result carries: trimmed, the part before the bar', () => {
    const message = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: ' toolu_1|fc_1 ', name: 'x', input: {} }],
    }
    const { turn } = readTurn(message)
    expect(writeTurn(turn, 'anthropic', message)['content']).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'x', input: {} },
    ])
  })

  it('gives calls with blank ids ids that differ and stay the same when written again', () => {
    const message = {
      role: 'assistant',
      tool_calls: [
        { id: '', type: 'function', function: { name: 'x', arguments: '{}' } },
        { id: null, type: 'function', function: { name: 'x', arguments: '{}' } },
      ],
    }
    const { turn } = readTurn(message)
    const first = writeTurn(turn, 'openai-chat', message)
    const ids = (first['tool_calls'] as { id: string }[]).map((call) => call.id)
    expect(new Set(ids).size).toBe(2)
    expect(ids.every((id) => /^call_[0-9a-f]{12}$/.test(id))).toBe(true)
    expect(writeTurn(turn, 'openai-chat', message)).toEqual(first)
  })

  it('finds the items of calls that expansion renamed because their ids were blank or came twice', () => {
    const reasoning = { type: 'reasoning', id: 'rs' }
    const original = [outputCall('same'), reasoning, outputCall('same'), outputCall('')]
    const turn: AssistantTurn = {
      toolCalls: ['same', 'call_child', 'same_d2', 'call_made'].map((id) => ({
        id,
        name: 'x',
        arguments: '{}',
      })),
    }
    const written = writeTurn(turn, 'openai-responses', original) as { call_id?: string }[]
    expect(written.map((item) => item.call_id)).toEqual([
      'same',
      'call_child',
      undefined,
      'same_d2',
      'call_made',
    ])
  })

  it('pairs by place where no id is known any more', () => {
    const reasoning = { type: 'reasoning', id: 'rs' }
    const turn: AssistantTurn = {
      toolCalls: ['n1', 'n2'].map((id) => ({ id, name: 'x', arguments: '{}' })),
    }
    const written = writeTurn(turn, 'openai-responses', [
      outputCall('a'),
      reasoning,
      outputCall('b'),
    ])
    expect(written.map((item) => (item as { call_id?: string }).call_id)).toEqual([
      'n1',
      undefined,
      'n2',
    ])
  })

  it('writes nine letters and digits for Mistral, and the map turns them back', () => {
    const { turn } = readTurn(openAiChat)
    const ids = createIdMap('mistral')
    const written = writeTurn(expanded(turn), 'openai-chat', openAiChat, { ids })
    const calls = (written['tool_calls'] as { id: string; type: string }[]).filter(
      (call) => call.type === 'function',
    )
    expect(calls.every((call) => /^[a-zA-Z0-9]{9}$/.test(call.id))).toBe(true)
    expect(ids.fromProvider(calls[1]!.id)).toBe('call_1834aea53cc1')
  })

  it('keeps an id that a provider refuses out of its messages', () => {
    const { turn } = readTurn(bedrock)
    const written = writeTurn(
      { toolCalls: expanded(turn, 'functions.read:0').toolCalls },
      'bedrock',
      bedrock,
    )
    const blocks = written['content'] as { toolUse?: { toolUseId: string } }[]
    expect(blocks[3]?.toolUse?.toolUseId).toMatch(/^functions_read_0_[0-9a-f]{12}$/)
  })
})

describe('writeTurn on what does not fit', () => {
  it('leaves out the entry of a call that is not in the turn', () => {
    const { turn } = readTurn(openAiChat)
    const after = { toolCalls: turn.toolCalls.slice(1) }
    const written = writeTurn(after, 'openai-chat', openAiChat)
    expect(written['tool_calls']).toEqual(openAiChat.choices[0]?.message.tool_calls.slice(1))
  })

  it('adds a call to a message of mere text', () => {
    const turn: AssistantTurn = { toolCalls: [{ id: 'a', name: 'x', arguments: '{"k": 1}' }] }
    const message = { role: 'assistant', content: 'Wait.' }
    expect(writeTurn(turn, 'anthropic', message)['content']).toEqual([
      { type: 'text', text: 'Wait.' },
      { type: 'tool_use', id: 'a', name: 'x', input: { k: 1 } },
    ])
    expect(writeTurn(turn, 'openai-chat', message)).toEqual({
      ...message,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{"k": 1}' } }],
    })
  })

  it('writes an empty input for arguments that are no object, which providers want', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    const turn: AssistantTurn = {
      toolCalls: ['{"k": ', cyclic, undefined, '[1]'].map((args, index) => ({
        id: `c${index}`,
        name: 'x',
        arguments: args,
      })),
    }
    const message = { role: 'assistant', content: [] }
    const blocks = writeTurn(turn, 'anthropic', message)['content'] as { input: unknown }[]
    expect(blocks.map((block) => block.input)).toEqual([{}, {}, {}, {}])
  })

  it('passes foreign blocks and carriers through', () => {
    const blocks = [null, 7, 'x', { type: 'tool_use' }]
    const turn: AssistantTurn = {
      toolCalls: [{ id: 'a', name: 'x', arguments: {} }],
      contentBlocks: { anthropic: blocks },
    }
    const content = writeTurn(turn, 'anthropic', { role: 'assistant', content: null })['content']
    expect(content).toEqual([null, 7, 'x', { type: 'tool_use', id: 'a', name: 'x', input: {} }])
  })

  it('changes nothing of its input', () => {
    const before = structuredClone(openAiChat)
    const { turn } = readTurn(openAiChat)
    writeTurn(expanded(turn), 'openai-chat', openAiChat)
    expect(openAiChat).toEqual(before)
  })

  it.each([
    ['openai-chat', null],
    ['openai-responses', 'text'],
    ['anthropic', undefined],
    ['bedrock', 3],
  ] as const)('says so when the original is no message of %s', (provider, original) => {
    expect(() => writeTurn({ toolCalls: [] }, provider, original)).toThrow(CallgateError)
  })

  it('names the providers it knows when it is given another', () => {
    expect(() => writeTurn({ toolCalls: [] }, 'gemini' as 'bedrock', {})).toThrow(
      'There is no provider "gemini".',
    )
  })
})
