import { describe, expect, it } from 'vitest'

import { readTurn, writeResults, writeTurn } from '../src/index.ts'

describe('A message that its provider would not take back', () => {
  it.each(['', '{"city":', '[1]'])('for arguments that are the text %j gets an object', (input) => {
    const anthropic = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'x', input }],
    }
    expect(writeTurn(readTurn(anthropic).turn, 'anthropic', anthropic)).toEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }],
    })
    const bedrock = {
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'a', name: 'x', input } }],
    }
    expect(writeTurn(readTurn(bedrock).turn, 'bedrock', bedrock)).toEqual({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'a', name: 'x', input: {} } }],
    })
  })

  it('for arguments that are not there gets an object', () => {
    const message = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x' }] }
    expect(writeTurn(readTurn(message).turn, 'anthropic', message)).toEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }],
    })
  })

  it.each([[[]], [[{ id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }]]])(
    'for a list of calls that is empty has none',
    (calls) => {
      const message = { role: 'assistant', content: 'hi', tool_calls: calls }
      expect(writeTurn({ toolCalls: [] }, 'openai-chat', message)).toEqual({
        role: 'assistant',
        content: 'hi',
      })
      expect(message.tool_calls).toBe(calls)
    },
  )
})

describe('An error whose lines begin with "at"', () => {
  it('keeps them, and no frame of a stack', () => {
    const message =
      'Expected one of:\n  at most 3 items\n  at least one name\n    at run (file:///srv/a.js:3:14)\n' +
      '    at async Promise.all (index 0)\n    at /srv/b.js:1:2\n    at new Promise (<anonymous>)'
    const [written] = writeResults(
      [
        {
          callId: 'a',
          status: 'error',
          data: null,
          content: [],
          error: { code: 'backend_error', message },
          metadata: {},
        },
      ] as never,
      'openai-chat',
    )
    expect(written).toMatchObject({
      content: 'Error (backend_error): Expected one of:\n  at most 3 items\n  at least one name',
    })
  })
})
