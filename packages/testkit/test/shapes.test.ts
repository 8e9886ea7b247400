import { expect, it } from 'vitest'

import { memoryAdapter } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

const nothing = async (): Promise<never> => undefined as never

it('a factory that gives no adapter fails every check with one text', async () => {
  const failed = new Set(Object.values(await failedChecks(nothing)))
  expect([...failed]).toEqual([
    'The factory gave undefined; expected an adapter: what defineAdapter(…)(options) gives.',
  ])
})

it.each([
  ['nothing', undefined, 'create gave undefined; expected the instance itself.'],
  ['a promise', Promise.resolve({}), 'create gave a promise; expected the instance itself.'],
])('a create that gives %s says so', async (_what, given, said) => {
  const failed = await failedChecks(memoryAdapter(undefined, { create: () => given as never }))
  expect(failed).toMatchObject({ create: said, lifecycle: said, ok: said })
})

it.each([
  ['text', 'echo', 'discover gave "echo"; expected a list of tools.'],
  ['an empty place', [null], 'Tool 1 of discover is null; expected a definition.'],
])('a discover that gives %s says so', async (_what, given, said) => {
  const factory = memoryAdapter(() => ({ discover: async () => given as never }))
  expect(await failedChecks(factory)).toMatchObject({ lifecycle: said, listing: said, ok: said })
})

it('a health that gives nothing fails only health', async () => {
  expect(await failedChecks(memoryAdapter(() => ({ health: nothing })))).toEqual(
    only('health', /is undefined; expected "ok"/),
  )
})

it('a batch that gives nothing, or nothing for a call, fails only batch', async () => {
  expect(await failedChecks(memoryAdapter(() => ({ invokeBatch: nothing })))).toEqual(
    only('batch', /invokeBatch gave undefined; expected a list/),
  )
  const holes = memoryAdapter(() => ({
    invokeBatch: async (calls) => calls.map(() => null) as never,
  }))
  expect(await failedChecks(holes)).toEqual(
    only('batch', /^In a batch.* call 1: "echo" gave null; expected/),
  )
})
