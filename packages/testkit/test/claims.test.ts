import { expect, it } from 'vitest'

import { memoryAdapter, withTool } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

it('progress that never comes fails only progress', async () => {
  const factory = withTool('count', async () => ({ data: 3 }))
  expect(await failedChecks(factory)).toEqual(
    only('progress', /"count" ended and reported no progress/),
  )
})

it('progress that goes back fails only progress', async () => {
  const factory = withTool('count', async (_call, context) => {
    context.progress({ fraction: 0.5 })
    context.progress({ fraction: 0.2 })
    return { data: 3 }
  })
  expect(await failedChecks(factory)).toEqual(only('progress', /A fraction of 0.2 came after 0.5/))
})

it('a batch that is claimed and not there fails only batch', async () => {
  const factory = memoryAdapter(() => ({ invokeBatch: undefined }))
  expect(await failedChecks(factory)).toEqual(only('batch', /has no invokeBatch/))
})

it('results of a batch in another order fail only batch', async () => {
  const factory = memoryAdapter((good) => ({
    invokeBatch: async (calls, context) =>
      (await good.invokeBatch!(calls, context)).toSorted((left) => ('isError' in left ? -1 : 1)),
  }))
  expect(await failedChecks(factory)).toEqual(only('batch', /In a batch: "echo" should succeed/))
})

it('results that a batch loses fail only batch', async () => {
  const factory = memoryAdapter((good) => ({
    invokeBatch: (calls, context) => good.invokeBatch!(calls.slice(1), context),
  }))
  expect(await failedChecks(factory)).toEqual(only('batch', /Three calls gave 2 results/))
})

it('health that is claimed and not there fails only health', async () => {
  expect(await failedChecks(memoryAdapter(() => ({ health: undefined })))).toEqual(
    only('health', /has no such function/),
  )
})

it('a backend that works and is called down fails only health', async () => {
  const factory = memoryAdapter(() => ({
    health: async () => ({ state: 'down', reason: 'gone' }),
  }))
  expect(await failedChecks(factory)).toEqual(only('health', /"state":"down"/))
})
