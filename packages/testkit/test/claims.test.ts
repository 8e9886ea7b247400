import type { AdapterOutput } from '@callgate/spec'
import { expect, it } from 'vitest'

import { memoryAdapter, memoryFixtures, withTool } from './fixtures/memory-adapter.ts'
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

type Result = AdapterOutput | { readonly error: unknown }

const failed = (result: Result): number => ('isError' in result ? 1 : 0)

it.each<readonly [string, (results: readonly Result[]) => readonly Result[]]>([
  ['reversed', (results) => results.toReversed()],
  ['failures first', (results) => results.toSorted((a, b) => failed(b) - failed(a))],
  ['failures last', (results) => results.toSorted((a, b) => failed(a) - failed(b))],
  ['begun at the second', ([first, ...rest]) => [...rest, first!]],
])('results of a batch in another order, %s, fail only batch', async (_what, reorder) => {
  const factory = memoryAdapter((good) => ({
    invokeBatch: async (calls, context) =>
      reorder(await good.invokeBatch!(calls, context)) as readonly AdapterOutput[],
  }))
  for (const concurrent of [undefined, memoryFixtures.concurrent]) {
    const { concurrent: _, ...fixtures } = memoryFixtures
    const given = concurrent === undefined ? fixtures : { ...fixtures, concurrent }
    expect(await failedChecks(factory, { fixtures: given })).toEqual(
      only('batch', /^In a batch, where results stand in the order of the calls, call \d: "/),
    )
  }
})

it('results of a batch whose successes change places fail only batch where fixtures tell them apart', async () => {
  const factory = memoryAdapter((good) => ({
    invokeBatch: async (calls, context) => {
      const results = [...(await good.invokeBatch!(calls, context))]
      return [...results.slice(0, -2), results.at(-1)!, results.at(-2)!]
    },
  }))
  expect(await failedChecks(factory)).toEqual(
    only('batch', /call 6: "echo" gave \{"said":"c"\}, which is not as expected at \/said/),
  )
})

it('results that a batch loses fail only batch', async () => {
  const factory = memoryAdapter((good) => ({
    invokeBatch: (calls, context) => good.invokeBatch!(calls.slice(1), context),
  }))
  expect(await failedChecks(factory)).toEqual(only('batch', /7 calls gave 6 results/))
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
