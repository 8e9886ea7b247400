import type { BoundAdapter, ToolDefinition } from '@callgate/spec'
import { expect, it } from 'vitest'

import { memoryAdapter } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

/** An adapter that announces one tool more, like its first but for what is given. */
function announcing(change: Partial<ToolDefinition>): () => Promise<BoundAdapter> {
  return memoryAdapter((good) => ({
    discover: async (signal) => {
      const tools = await good.discover!(signal)
      return [...tools, { ...tools[0]!, ...change }]
    },
  }))
}

it('another order each time fails only listing', async () => {
  let count = 0
  const factory = memoryAdapter((good) => ({
    discover: async (signal) => {
      const tools = await good.discover!(signal)
      return count++ % 2 === 0 ? tools : tools.toReversed()
    },
  }))
  expect(await failedChecks(factory)).toEqual(only('listing', /Two listings in a row differ/))
})

it.each([
  ['a tool that comes twice', {}, /memory::echo comes twice/],
  ['no description', { name: 'odd', description: ' ' }, /odd: description is " "/],
  [
    'the backend of another adapter',
    { name: 'odd', backend: { adapter: 'mcp' } },
    /calls would not come to "memory"/,
  ],
  [
    'a broken schema',
    { name: 'odd', parameters: { type: 'thing' } },
    /memory::odd: parameters are no JSON Schema/,
  ],
  [
    'outputs that are no schema',
    { name: 'odd', outputs: 7 as never },
    /memory::odd: outputs are no JSON Schema/,
  ],
] as const)('%s fails only listing', async (_what, change, message) => {
  expect(await failedChecks(announcing(change))).toEqual(only('listing', message))
})
