import { describe, it } from 'vitest'

import { adapterSuite } from '../src/index.ts'
import { memoryAdapter, memoryFixtures } from './fixtures/memory-adapter.ts'

describe('an adapter that keeps the contract', () => {
  adapterSuite(it, memoryAdapter(), { fixtures: memoryFixtures })
})

describe('an adapter that claims nothing, announces nothing and has nothing to stop', () => {
  const { ok, fails, slow } = memoryFixtures
  const declared = [ok, fails, slow].map((fixture) => ({
    namespace: 'memory',
    name: fixture.tool.replace('memory::', ''),
    description: 'Declared.',
    parameters: { type: 'object' },
    backend: { adapter: 'memory' },
  }))
  const factory = memoryAdapter(
    () => ({ start: undefined, discover: undefined, health: undefined, stop: undefined }),
    { capabilities: { isolation: 'none' } },
  )
  adapterSuite(it, factory, { fixtures: { ok, fails, slow }, tools: declared })
})
