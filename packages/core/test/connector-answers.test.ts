import {
  defineAdapter,
  type AdapterOutput,
  type ContentPart,
  type ToolDefinition,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, type Gateway, type GatewayOptions } from '../src/index.ts'

describe('the one result of a batch of connectors', () => {
  function answers(
    given: readonly AdapterOutput[],
    more: Partial<ToolDefinition> = {},
    options: GatewayOptions = {},
  ): Gateway {
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'hub',
      capabilities: { batch: true, isolation: 'connection' },
      configSchema: { type: 'object' },
      create: () => ({ invoke: async () => ({}), invokeBatch: async () => given }),
    })
    const say: ToolDefinition = {
      namespace: 'connectors',
      name: 'say',
      description: 'Says it.',
      parameters: { type: 'object' },
      backend: { adapter: 'hub' },
      ...more,
    }
    return createGateway({ ...options, adapters: [adapter({})], tools: [say] })
  }
  const callOf = (count: number) => ({
    name: 'tool_call',
    arguments: {
      calls: Array.from({ length: count }, () => ({ name: 'connectors__say', arguments: {} })),
    },
  })

  it('has a part of each long answer, and the whole of all in a blob', async () => {
    const long = (name: string) => `${name} begins ${'x'.repeat(200_000)} ${name} ends`
    const gateway = answers([{ data: long('one') }, { data: { text: long('two') } }, { data: 3 }])
    const { data, metadata } = await gateway.dispatch(callOf(3))
    expect(data).toMatchObject({
      results: [
        { index: 0, response: expect.stringMatching(/^one begins .*one ends$/s) as string },
        { index: 1, response: { text: expect.stringMatching(/^two .*two ends$/s) as string } },
        { index: 2, response: 3 },
      ],
      total_count: 3,
    })
    let whole = ''
    for (let from: number | null = 0; from !== null;) {
      const page = await gateway.dispatch({
        name: 'result_read',
        arguments: { blob: metadata.truncated?.blobId, from_byte: from, bytes: 100_000 },
      })
      const { text, next_byte: next } = page.data as { text: string; next_byte: number | null }
      whole += text
      from = next
    }
    expect(whole).toContain(long('one'))
    expect(whole).toContain(long('two'))
  })

  it('names the blob of an answer that is too long to be kept with the others', async () => {
    const gateway = answers([{ data: 'x'.repeat(2_000_000) }, { data: 'short' }])
    const { data } = await gateway.dispatch(callOf(2))
    const kept = { totalBytes: 2_000_000, blobId: expect.any(String) as string }
    expect(data).toMatchObject({ results: [{ truncated: kept }, { response: 'short' }] })
  })

  it('comes of text that has to be repaired too', async () => {
    const text = "{'calls':[{'name':'connectors__say'},{'name':'connectors__say','arguments':{}}]}"
    const gateway = answers([{ data: 1 }, { data: 2 }])
    const toolCalls = [{ id: 'x', name: 'tool_call', arguments: text }]
    const { results } = await gateway.runTurn({ toolCalls })
    expect(results).toMatchObject([{ data: { success_count: 2 } }])
  })

  it('tells the data with which a tool says that it failed', async () => {
    const gateway = answers([
      { isError: true, data: { why: 'quota' } },
      { isError: true, data: 'no' },
    ])
    const message = 'The tool says that it failed.'
    expect((await gateway.dispatch(callOf(2))).data).toMatchObject({
      results: [
        { error: { code: 'tool_failed', message, data: { why: 'quota' } } },
        { error: { code: 'tool_failed', message: 'no' } },
      ],
    })
  })

  it('shows the images of its entries, and whose they are', async () => {
    const image: ContentPart = { type: 'image', mediaType: 'image/png', data: new Uint8Array([1]) }
    const gateway = answers([
      { data: 1 },
      { content: [{ type: 'text', text: 'a picture' }, image] },
    ])
    const { data, content } = await gateway.dispatch(callOf(2))
    expect(data).toMatchObject({ results: [{ response: 1 }, { response: 'a picture' }] })
    expect(content.slice(1)).toEqual([{ type: 'text', text: '[of entry 1]' }, image])
  })

  it('names the ticket of each entry that waits for a person', async () => {
    const put: string[] = []
    const approvals = {
      durable: true,
      put: async ({ ticketId }: { readonly ticketId: string }) => void put.push(ticketId),
      decide: async () => 'gone' as const,
      claim: async () => undefined,
      withdraw: async () => {},
      list: async () => [],
      grant: async () => {},
      granted: async () => false,
    }
    const gateway = answers([], { confirm: true }, { ports: { approvals } })
    const { data } = await gateway.dispatch(callOf(2))
    const { results } = data as { results: { error: { code: string; ticketId: string } }[] }
    expect(results.map(({ error }) => error.code)).toEqual(Array(2).fill('approval_required'))
    expect(results.map(({ error }) => error.ticketId).toSorted()).toEqual(put.toSorted())
  })
})
