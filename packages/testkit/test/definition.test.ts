import { defineAdapter } from '@callgate/spec'
import { expect, it } from 'vitest'

import { memoryAdapter, memoryDefinition, memoryInstance } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

const said = memoryDefinition.capabilities

it('an adapter that defineAdapter did not make fails only contract', async () => {
  const bound = { name: 'memory', definition: memoryDefinition, create: () => memoryInstance() }
  expect(await failedChecks(async () => bound)).toEqual(only('contract', /brand/))
})

it('a definition with a name that nobody can write fails only name', async () => {
  const bind = defineAdapter({ ...memoryDefinition, name: 'my adapter' })
  expect(await failedChecks(async () => bind({ name: 'memory' }))).toEqual(
    only('name', /"my adapter" cannot name/),
  )
})

it('options without a schema fail only options', async () => {
  const factory = memoryAdapter(undefined, { configSchema: true })
  expect(await failedChecks(factory)).toEqual(only('options', /configSchema is true/))
})

it('a broken schema of the options fails options, and all that needs an instance', async () => {
  const factory = memoryAdapter(undefined, { configSchema: { type: 'thing' } })
  const failed = await failedChecks(factory)
  expect(failed['options']).toMatch(/configSchema is no JSON Schema: .*thing/)
})

it('an isolation that is not said fails only capabilities', async () => {
  const { isolation: _, ...rest } = said
  const factory = memoryAdapter(undefined, { capabilities: rest })
  expect(await failedChecks(factory)).toEqual(only('capabilities', /isolation is not said/))
})

it('a claim that is no boolean fails only capabilities', async () => {
  const factory = memoryAdapter(undefined, { capabilities: { ...said, dynamic: 'yes' as never } })
  expect(await failedChecks(factory)).toEqual(
    only('capabilities', /capabilities\.dynamic is "yes"/),
  )
})
