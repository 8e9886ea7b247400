import { defineAdapter, type ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'

describe('the one result of a batch of connectors', () => {
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'hub',
    capabilities: { batch: true, isolation: 'connection' },
    configSchema: { type: 'object' },
    create: () => ({
      invoke: async () => ({}),
      invokeBatch: async (calls) =>
        calls.map(({ arguments: args }) => ({ data: { text: args['text'] } })),
    }),
  })
  const tool: ToolDefinition = {
    namespace: 'connectors',
    name: 'say',
    description: 'Says it.',
    parameters: { type: 'object' },
    backend: { adapter: 'hub' },
  }

  it('is capped as a whole, stays what it is, and is said to come from outside', async () => {
    const gateway = createGateway({
      adapters: [adapter({})],
      tools: [tool],
      policy: { resultCapBytes: 2000 },
    })
    const calls = Array.from({ length: 10 }, () => ({
      name: 'connectors__say',
      arguments: { text: 'x'.repeat(600) },
    }))
    const { data, content, metadata } = await gateway.dispatch({
      name: 'tool_call',
      arguments: { calls },
    })
    expect(data).toMatchObject({ success_count: 10, total_count: 10 })
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(2000)
    expect(content.at(-1)).toMatchObject({ text: expect.stringContaining('result_read') as string })
    expect(metadata).toMatchObject({
      untrusted: true,
      truncated: { totalBytes: expect.any(Number) as number },
    })
  })

  it('is cancelled where the batch was stopped before anything of it ran', async () => {
    const gateway = createGateway({ adapters: [adapter({})], tools: [tool] })
    const calls = [1, 2].map(() => ({ name: 'connectors__say', arguments: {} }))
    const call = { id: 'x', name: 'tool_call', arguments: { calls } }
    const { results } = await gateway.runTurn(
      { toolCalls: [call] },
      { signal: AbortSignal.abort() },
    )
    expect(results).toMatchObject([
      {
        callId: 'x',
        status: 'cancelled',
        error: { code: 'cancelled' },
        metadata: { outcome: 'not_started' },
      },
    ])
  })
})
