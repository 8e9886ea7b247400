import { expect, it } from 'vitest'

import { cancelled, memoryAdapter, withParts, withTool } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

it('a signal that is ignored fails only cancel', async () => {
  const factory = memoryAdapter((good) => {
    const stopped = new AbortController()
    return {
      invoke: (call, context) =>
        good.invoke(
          call,
          call.tool.name === 'wait' ? withParts(context, { signal: stopped.signal }) : context,
        ),
      stop: async (options) => {
        stopped.abort()
        await good.stop?.(options)
      },
    }
  })
  expect(await failedChecks(factory)).toEqual(only('cancel', /no outcome 1000 ms after/))
})

it('a plain error for an aborted call fails only cancel-effect', async () => {
  const factory = withTool('wait', (call, context, good) =>
    good.invoke(call, context).catch(() => {
      throw new Error('aborted')
    }),
  )
  expect(await failedChecks(factory)).toEqual(
    only('cancel-effect', /threw Error: aborted; expected a ToolError/),
  )
})

it('an output for an aborted call fails only cancel-effect', async () => {
  const factory = withTool('wait', (call, context, good) =>
    good.invoke(call, context).catch(() => ({ data: 'half' })),
  )
  expect(await failedChecks(factory)).toEqual(
    only('cancel-effect', /nobody learns that it was cut short/),
  )
})

it('no effect said of a call that had begun fails only cancel-effect', async () => {
  const factory = withTool('wait', (call, context, good) =>
    good.invoke(call, context).catch(() => {
      throw cancelled('no')
    }),
  )
  expect(await failedChecks(factory)).toEqual(
    only('cancel-effect', /then said that nothing had started/),
  )
})

it('a call that tells no progress is aborted after a while and may say that nothing began', async () => {
  const factory = withTool('wait', (call, context, good) =>
    good.invoke(call, withParts(context, { progress: () => {} })).catch(() => {
      throw cancelled('no')
    }),
  )
  expect(await failedChecks(factory)).toEqual({})
})
