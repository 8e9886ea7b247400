import { defineAdapter } from '@callgate/spec'
import { expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'

it.each([
  [{}, 0],
  [{ batch: false }, 0],
  [{ batch: true }, 2],
])('an adapter that claims %j is sent %i entries of a batch', async (capabilities, count) => {
  let sent = 0
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'hub',
    capabilities: { isolation: 'connection', ...capabilities },
    configSchema: { type: 'object' },
    create: () => ({
      invoke: async () => ({}),
      invokeBatch: async (calls) => calls.map(() => ({ data: ++sent })),
    }),
  })
  const gateway = createGateway({
    adapters: [adapter({})],
    tools: [
      {
        namespace: 'connectors',
        name: 'say',
        description: 'Says it.',
        parameters: { type: 'object' },
        backend: { adapter: 'hub' },
      },
    ],
  })
  const calls = [1, 2].map(() => ({ name: 'connectors__say', arguments: {} }))
  const { error } = await gateway.dispatch({ name: 'tool_call', arguments: { calls } })
  expect(sent).toBe(count)
  expect(error?.message).toBe(count > 0 ? undefined : 'The adapter "hub" serves no batches.')
})
