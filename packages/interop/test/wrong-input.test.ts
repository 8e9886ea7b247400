import type { ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createIdMap, writeResults, writeTurn, type Provider } from '../src/index.ts'

const originals: { readonly [P in Provider]: unknown } = {
  'openai-chat': { role: 'assistant', tool_calls: [] },
  'openai-responses': [],
  anthropic: { role: 'assistant', content: [] },
  bedrock: { role: 'assistant', content: [] },
}
const providers = Object.keys(originals) as Provider[]

interface Refusal {
  readonly name: string
  readonly rule: string
  readonly where: string
  readonly message: string
}

/** The error that this throws. */
function refusal(run: () => unknown): Refusal {
  try {
    run()
  } catch (error) {
    return error as Refusal
  }
  throw new Error('it was taken')
}

function result(changes: object): ToolResult {
  const metadata = { durationMs: 1, attempts: 1, outcome: 'done' }
  return { callId: 'c', tool: 'a::b', status: 'ok', content: [], metadata, ...changes } as never
}

describe('a turn that is none', () => {
  it.each([
    [null, '', 'The turn is null; expected an object with toolCalls.'],
    ['x', '', 'The turn is text; expected an object with toolCalls.'],
    [{}, '/toolCalls', 'The turn at /toolCalls is missing; expected a list of calls.'],
    [
      { toolCalls: [{ name: 'a' }, null] },
      '/toolCalls/1',
      'The turn at /toolCalls/1 is null; expected a call.',
    ],
    [
      { toolCalls: [{ id: 'c' }] },
      '/toolCalls/0/name',
      'The turn at /toolCalls/0/name is missing; expected the name of a tool.',
    ],
  ])('is refused with its place, whatever the provider: %j', (turn, where, message) => {
    for (const provider of providers) {
      expect(refusal(() => writeTurn(turn as never, provider, originals[provider]))).toMatchObject({
        name: 'CallgateError',
        rule: 'turn-shape',
        where,
        message,
      })
    }
  })
})

describe('results that are none', () => {
  it.each([
    [null, '', 'The list of results is null; expected a list.'],
    [[result({}), null], '/1', 'The list of results at /1 is null; expected a result.'],
    [[{}], '/0/callId', 'The list of results at /0/callId is missing; expected text.'],
    [
      [result({ status: 'done' })],
      '/0/status',
      'The list of results at /0/status is text; expected ok, error, denied, cancelled or pending.',
    ],
    [
      [result({ content: 'x' })],
      '/0/content',
      'The list of results at /0/content is text; expected a list of parts.',
    ],
    [
      [result({ metadata: undefined })],
      '/0/metadata',
      'The list of results at /0/metadata is missing; expected an object.',
    ],
    [
      [result({ status: 'error', error: { code: 'x', message: 5 } })],
      '/0/error',
      'The list of results at /0/error is an object with "code", "message"; expected an error: {code, message}.',
    ],
    [
      [result({ status: 'error', error: { code: 'x', message: 'm', fields: [null] } })],
      '/0/error',
      'The list of results at /0/error is an object with "code", "message", "fields"; expected an error: {code, message}.',
    ],
  ])('are refused with their place, whatever the provider: case %#', (results, where, message) => {
    for (const provider of providers) {
      expect(refusal(() => writeResults(results as never, provider))).toMatchObject({
        name: 'CallgateError',
        rule: 'results-shape',
        where,
        message,
      })
    }
  })
})

describe('a part of the content that is none', () => {
  it.each([
    [null],
    [5],
    [{ type: 'text' }],
    [{ type: 'text', text: 5 }],
    [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
    [{ type: 'image', data: new Uint8Array([1]) }],
    [{ type: 'resource' }],
    [{ type: 'resource', uri: 'a:b', data: [1] }],
    [{ type: 'resource_link' }],
    [{ type: 'hologram' }],
  ])('costs the model no other part and no other result: %j', (part) => {
    const content = [part, { type: 'text', text: 'seen' }]
    for (const provider of providers) {
      const written = JSON.stringify(
        writeResults([result({ content }), result({ callId: 'd', data: 'other' })], provider),
      )
      expect(written).toContain('[a part of the result that cannot be read]')
      expect(written).toContain('seen')
      expect(written).toContain('other')
    }
  })
})

describe('options and names that do not fit', () => {
  const turn = { toolCalls: [{ id: 'c', name: 'a', arguments: {} }] }

  it.each([
    [null, 'options', '"options" is null; expected an object.'],
    [{ ids: null }, 'ids', '"ids" is null; expected an id map.'],
    [{ ids: {} }, 'ids', '"ids" is an object without keys; expected an id map.'],
    [{ id: 1 }, 'id', '"id" is a number; expected no option but ids.'],
  ])('are refused by both writers: %j', (options, where, message) => {
    const wanted = { name: 'InvalidOptionsError', rule: 'write-options', where, message }
    const given = options as never
    expect(refusal(() => writeTurn(turn, 'anthropic', originals.anthropic, given))).toMatchObject(
      wanted,
    )
    expect(refusal(() => writeResults([], 'anthropic', given))).toMatchObject(wanted)
  })

  it.each([
    [1n, 'a bigint'],
    [null, 'null'],
    [Object.create(null) as object, 'an object without keys'],
  ])('are refused whatever they are: case %#', (name, what) => {
    const given = name as never
    const message = `There is no provider that is ${what}.`
    expect(refusal(() => writeTurn(turn, given, {})).message).toBe(message)
    expect(refusal(() => writeResults([], given)).message).toBe(message)
    expect(refusal(() => createIdMap(given)).message).toBe(`There is no id form that is ${what}.`)
  })
})

describe('arguments nested deeper than the stack reaches', () => {
  it('are written, also where the message holds a copy of them', () => {
    const depth = 200_000
    const deep = (): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    const original = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c', name: 'x', input: deep() }],
    }
    const turn = { toolCalls: [{ id: 'c', name: 'x', arguments: deep() }] }
    expect(writeTurn(turn, 'anthropic', original) === original).toBe(true)
  })
})
