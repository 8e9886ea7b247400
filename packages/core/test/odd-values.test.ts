import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { toolOutput } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

/** A list with so many places that walking through them takes half a minute. */
function sparse(): unknown[] {
  const list: unknown[] = []
  list[4_000_000_000] = 1
  return list
}

async function resultOf(value: unknown) {
  return gatewayOf([tool('t', () => value)]).dispatch({ name: 't', arguments: {} })
}

describe('a list of four thousand million places', { timeout: 5000 }, () => {
  it('as a result is named, not walked through', async () => {
    expect((await resultOf({ list: sparse(), n: 1 })).data).toEqual({
      list: '[a list of 4000000001 places, most of them empty]',
      n: 1,
    })
    expect((await resultOf(toolOutput({ data: sparse() }))).status).toBe('ok')
    expect((await resultOf(toolOutput({ content: sparse() as never }))).status).toBe('error')
  })

  it('as arguments is refused', async () => {
    const gateway = gatewayOf([tool('t', () => 1)])
    const { error } = await gateway.dispatch({ name: 't', arguments: { list: sparse() } })
    expect(error).toMatchObject({ code: 'malformed_call' })
    const batch = await gateway.dispatch({ name: 'tool_call', arguments: { calls: sparse() } })
    expect(batch.status).toBe('error')
    const { results } = await gateway.runTurn({
      toolCalls: [{ name: 'tool_call', arguments: { calls: sparse() } }],
    })
    expect(results).toHaveLength(1)
  })

  it('in what a hook changes is the fault of that hook', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { list: sparse() } }), {
      kind: 'transform',
    })
    const gateway = gatewayOf([tool('t', () => 1)], { hooks })
    expect((await gateway.dispatch({ name: 't', arguments: {} })).error?.code).toBe('hook_failed')
  })

  it('with few empty places has null in them', async () => {
    const list: unknown[] = [1]
    list[3] = 2
    expect((await resultOf(list)).data).toEqual([1, null, null, 2])
    const gateway = gatewayOf([tool('t', (args) => args)])
    expect((await gateway.dispatch({ name: 't', arguments: { list } })).data).toEqual({
      list: [1, null, null, 2],
    })
  })
})

describe('parts of content that do not fit', () => {
  it('are made to fit, or say that they cannot be shown', async () => {
    const bytes = new Uint8Array([1, 2])
    const { content } = await resultOf(
      toolOutput({
        content: [
          { type: 'text', text: 7 },
          { type: 'image', data: 'AQI=', mediaType: 'image/png' },
          { type: 'audio', data: bytes.buffer },
          { type: 'file', data: '%%%', mediaType: 'x/y' },
          { type: 'resource', uri: 'a:b', text: 7, data: 'AQI=' },
          { type: 'resource_link' },
          { type: 'unheard_of' },
          'text',
          null,
        ] as never,
      }),
    )
    expect(content).toEqual([
      { type: 'text', text: '7' },
      { type: 'image', data: bytes, mediaType: 'image/png' },
      { type: 'audio', data: bytes, mediaType: 'application/octet-stream' },
      { type: 'text', text: '[a part of the type file that cannot be shown]' },
      { type: 'resource', uri: 'a:b', text: '7', data: bytes },
      { type: 'text', text: '[a part of the type resource_link that cannot be shown]' },
      { type: 'text', text: '[3 parts of content of unknown types are left out]' },
    ])
  })

  it('have names that are short enough to be shown', async () => {
    const uri = `a:${'b'.repeat(10_000)}`
    const { content } = await resultOf(
      toolOutput({
        content: [
          { type: 'resource_link', uri },
          { type: 'resource', uri },
          { type: 'resource_link', uri: 'a:b', name: uri },
        ],
      }),
    )
    expect(content).toEqual([
      { type: 'text', text: '[a part of the type resource_link that cannot be shown]' },
      { type: 'text', text: '[a part of the type resource that cannot be shown]' },
      { type: 'resource_link', uri: 'a:b' },
    ])
  })

  it('are no silence where none of them fits', async () => {
    const { data, content } = await resultOf(toolOutput({ content: [{ type: 'evil' }] as never }))
    expect(content).toEqual([
      { type: 'text', text: '[a part of content of an unknown type is left out]' },
    ])
    expect(data).toBeNull()
  })
})

describe('a definition that is no JSON', () => {
  it('is refused where models see it, and pinned as it is elsewhere', async () => {
    const parameters = { type: 'object', properties: { n: { default: 1n } } }
    expect(refusal(() => gatewayOf([tool('t', () => 1, { parameters })]))).toMatchObject({
      rule: 'tool-json',
      where: 'local::t#/parameters',
    })
    const gateway = gatewayOf([tool('t', () => 1, { metadata: { n: 1n }, confirm: true })], {
      approver: async () => ({ decision: 'approve' }),
    })
    expect((await gateway.dispatch({ name: 't', arguments: {} })).status).toBe('ok')
  })
})

describe('what JSON would make {} of', () => {
  it('is named in a result', async () => {
    class Empty {
      readonly #hidden = 1
      get shown(): number {
        return this.#hidden
      }
    }
    const { data } = await resultOf({
      stream: new ReadableStream(),
      response: new Response('x'),
      weak: new WeakMap(),
      pattern: /a+/g,
      query: new URLSearchParams({ a: '1' }),
      url: new URL('http://x.test/'),
      empty: new Empty(),
      plain: {},
      bare: Object.create(null) as object,
    })
    expect(data).toEqual({
      stream: '[ReadableStream]',
      response: '[Response]',
      weak: '[WeakMap]',
      pattern: '/a+/g',
      query: 'a=1',
      url: 'http://x.test/',
      empty: '[Empty]',
      plain: {},
      bare: {},
    })
  })
})
