import { defineAdapter, ToolError, type BoundAdapter, type ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'

/** An adapter for connectors that notes what it is sent, and says who it is. */
function hub(name: string, sent: string[], capabilities: object = { batch: true }): BoundAdapter {
  return defineAdapter<object>({
    contract: 1,
    name,
    capabilities: { isolation: 'connection', ...capabilities },
    configSchema: { type: 'object' },
    create: () => ({
      invoke: async () => ({}),
      async invokeBatch(calls) {
        const tools = calls.map(({ tool }) => tool.name)
        sent.push(`${name}: ${tools.join(' ')}`)
        if (tools.includes('broken')) {
          throw new ToolError({ code: 'backend_unavailable', message: 'away', started: 'no' })
        }
        return tools.map((tool) => ({ data: `${tool} by ${name}` }))
      },
    }),
  })({})
}

function connector(name: string, adapter: string): ToolDefinition {
  return {
    namespace: 'connectors',
    name,
    description: 'Says it.',
    parameters: { type: 'object' },
    backend: { adapter },
  }
}

function batchOf(...names: readonly string[]) {
  const calls = names.map((name) => ({ name: `connectors__${name}`, arguments: {} }))
  return { name: 'tool_call', arguments: { calls } }
}

describe('a batch whose connectors belong to two adapters', () => {
  it('is sent to each its own entries, and answered in the order of the entries', async () => {
    const sent: string[] = []
    const gateway = createGateway({
      adapters: [hub('one', sent), hub('two', sent)],
      tools: [connector('a', 'one'), connector('b', 'two'), connector('c', 'one')],
    })
    const { data } = await gateway.dispatch(batchOf('a', 'b', 'c'))
    expect(sent).toEqual(['one: a c', 'two: b'])
    expect(data).toMatchObject({
      results: [{ response: 'a by one' }, { response: 'b by two' }, { response: 'c by one' }],
    })
  })

  it.each([
    ['fails', 'broken', { batch: true }, 'backend_unavailable'],
    ['serves no batches', 'b', {}, 'no_adapter'],
  ])('keeps the answers of the one where the other %s', async (_, name, capabilities, code) => {
    const sent: string[] = []
    const gateway = createGateway({
      adapters: [hub('one', sent), hub('two', sent, capabilities)],
      tools: [connector('a', 'one'), connector(name, 'two')],
    })
    const { data } = await gateway.dispatch(batchOf(name, 'a'))
    expect(data).toMatchObject({ results: [{ error: { code } }, { response: 'a by one' }] })
  })
})
