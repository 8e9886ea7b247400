import { CallgateError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import {
  readAnthropic,
  readBedrock,
  readOpenAiChat,
  readOpenAiResponses,
  readTurn,
} from '../src/index.ts'
import { anthropic, bedrock, openAiChat, openAiResponses } from './fixtures/index.ts'

function fault(run: () => unknown): CallgateError {
  try {
    run()
  } catch (error) {
    if (CallgateError.isInstance(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}

describe('readTurn', () => {
  it.each([
    ['openai-chat', openAiChat],
    ['openai-chat', openAiChat.choices[0]?.message],
    ['openai-responses', openAiResponses],
    ['openai-responses', openAiResponses.output],
    ['anthropic', anthropic],
    ['anthropic', { role: 'assistant', content: anthropic.content }],
    ['bedrock', bedrock],
    ['bedrock', bedrock.output.message],
  ] as const)('recognises a body and a bare message of %s', (provider, message) => {
    expect(readTurn(message).provider).toBe(provider)
  })

  it('needs no role where calls or blocks tell enough', () => {
    const call = { id: 'c', function: { name: 'x', arguments: '{}' } }
    expect(readTurn({ tool_calls: [call] }).provider).toBe('openai-chat')
    expect(readTurn({ content: anthropic.content }).provider).toBe('anthropic')
    expect(readTurn({ content: bedrock.output.message.content }).provider).toBe('bedrock')
  })

  it('reads a message of mere text as one without calls', () => {
    expect(readTurn({ role: 'assistant', content: 'Done.' }).turn.toolCalls).toEqual([])
  })

  it('reads blocks that are all foreign as Anthropic without calls', () => {
    const { provider, turn } = readTurn({ role: 'assistant', content: [null, 7] })
    expect(provider).toBe('anthropic')
    expect(turn.toolCalls).toEqual([])
  })

  it('names what it found and what fits when the shape is unknown', () => {
    const error = fault(() => readTurn({ candidates: [], usageMetadata: {} }))
    expect(error.code).toBe('malformed_call')
    expect(error.rule).toBe('message-shape')
    expect(error.where).toBe('')
    expect(error.message).toContain('"candidates", "usageMetadata"')
    expect(error.message).toMatch(/OpenAI chat.*OpenAI responses.*Anthropic.*Bedrock/)
    expect(error.hint).toContain('whole answer')
  })

  it.each([
    ['a user message', { role: 'user', content: [] }, /role is "user"/],
    ['an error body', { error: { message: 'overloaded' } }, /reports a fault/],
    ['text', '{"choices":[]}', /Parse the text/],
    ['text without a role', { content: 'Done.' }, /whole answer/],
    ['nothing', undefined, /whole answer/],
    ['null', null, /whole answer/],
    ['a number', 3, /whole answer/],
    ['a list of blocks without a message', anthropic.content, /whole answer/],
    ['blocks of no provider', { role: 'assistant', content: [{ foo: 1 }] }, /role is "assistant"/],
    ['one message item of OpenAI responses', openAiResponses.output[4], /role is "assistant"/],
  ])('refuses %s with a hint', (_what, message, hint) => {
    const error = fault(() => readTurn(message))
    expect(error.code).toBe('malformed_call')
    expect(error.hint).toMatch(hint)
  })
})

describe('readOpenAiChat', () => {
  it('keeps the arguments text letter for letter', () => {
    const [batch] = readOpenAiChat(openAiChat).toolCalls
    expect(batch?.arguments).toBe(openAiChat.choices[0]?.message.tool_calls[0]?.function?.arguments)
  })

  it('leaves calls of other types to their own party', () => {
    expect(readOpenAiChat(openAiChat).toolCalls.map((call) => call.id)).toEqual([
      'call_DdmO9pD3xa9XTPNJ32zg2hcA',
      'call_weather',
    ])
  })

  it('hands on arguments that a server gave as an object', () => {
    const given = { path: 'a' }
    const message = {
      role: 'assistant',
      tool_calls: [{ id: 'c', function: { name: 'x', arguments: given } }],
    }
    expect(readOpenAiChat(message).toolCalls[0]?.arguments).toBe(given)
  })

  it.each([
    ['a null call', { tool_calls: [null] }, '/tool_calls/0'],
    ['a call without function', { tool_calls: [{ id: 'c' }] }, '/tool_calls/0'],
    [
      'a call without name',
      { tool_calls: [{ id: 'c', function: {} }] },
      '/tool_calls/0/function/name',
    ],
    ['a null name', { tool_calls: [{ function: { name: null } }] }, '/tool_calls/0/function/name'],
    ['calls that are no list', { tool_calls: { 0: {} } }, '/tool_calls'],
    ['the old function_call', { function_call: { name: 'x', arguments: '{}' } }, '/function_call'],
    ['a body without choices', { choices: [] }, '/choices/0/message'],
    ['a chunk of a stream', { choices: [{ delta: {} }] }, '/choices/0/message'],
  ])('refuses %s and says where', (_what, message, where) => {
    const error = fault(() => readOpenAiChat(message))
    expect(error.where).toBe(where)
    expect(error.hint).toBeTruthy()
  })

  it('takes an empty name, which the dispatcher answers without harm to the other calls', () => {
    const message = { tool_calls: [{ id: 'c', function: { name: '', arguments: '{}' } }] }
    expect(readOpenAiChat(message).toolCalls).toEqual([{ id: 'c', name: '', arguments: '{}' }])
  })
})

describe('readOpenAiResponses', () => {
  it('keeps the ids of call and item apart', () => {
    expect(readOpenAiResponses(openAiResponses).toolCalls[1]).toEqual({
      id: 'call_weather',
      callId: 'call_weather',
      responseItemId: 'fc_weather',
      name: 'weather_lookup',
      arguments: '{"city":"A"}',
    })
  })

  it('falls back on the id of the item where a call has none', () => {
    const item = { type: 'function_call', id: 'fc_1', name: 'x', arguments: '{}' }
    expect(readOpenAiResponses([item]).toolCalls[0]).toEqual({
      id: 'fc_1',
      responseItemId: 'fc_1',
      name: 'x',
      arguments: '{}',
    })
  })

  it('lets items that are no objects ride along', () => {
    expect(readOpenAiResponses([null, 'x']).toolCalls).toEqual([])
  })

  it.each([
    [
      'a call without name',
      { output: [{ type: 'function_call', call_id: 'c' }] },
      '/output/0/name',
    ],
    ['a bare item without name', [{ type: 'function_call' }], '/0/name'],
    ['a body without output', { object: 'response' }, '/output'],
  ])('refuses %s and says where', (_what, message, where) => {
    expect(fault(() => readOpenAiResponses(message)).where).toBe(where)
  })
})

describe('readAnthropic', () => {
  it('carries all blocks as the same objects, thinking and redacted thinking among them', () => {
    const turn = readAnthropic(anthropic)
    expect(turn.contentBlocks?.anthropic).toBe(anthropic.content)
  })

  it('gives the input of a block as the arguments, the same object', () => {
    const turn = readAnthropic(anthropic)
    expect(turn.toolCalls.map((call) => call.name)).toEqual(['tool_call', 'weather_lookup'])
    expect(turn.toolCalls[1]?.arguments).toBe(anthropic.content[7]?.input)
  })

  it.each([
    ['a block without name', { content: [null, { type: 'tool_use', id: 'a' }] }, '/content/1/name'],
    ['content that is no list', { content: 7 }, '/content'],
    ['a list', [], ''],
  ])('refuses %s and says where', (_what, message, where) => {
    expect(fault(() => readAnthropic(message)).where).toBe(where)
  })
})

describe('readBedrock', () => {
  it('carries all blocks as the same objects', () => {
    const turn = readBedrock(bedrock)
    expect(turn.contentBlocks?.bedrock).toBe(bedrock.output.message.content)
    expect(turn.toolCalls[0]?.id).toBe('tooluse_kZJMlvQmRJ6eAyJE5GIl7Q')
  })

  it.each([
    ['a block without name', { content: [{ toolUse: {} }] }, '/content/0/toolUse/name'],
    [
      'a block without name in a body',
      { output: { message: { content: [{ toolUse: { name: 1 } }] } } },
      '/output/message/content/0/toolUse/name',
    ],
    ['a body without message', { output: {} }, '/output/message'],
  ])('refuses %s and says where', (_what, message, where) => {
    expect(fault(() => readBedrock(message)).where).toBe(where)
  })
})
