import { ToolError, type ToolErrorInit } from '@callgate/spec'
import { expect, it } from 'vitest'

import { memoryAdapter, memoryFixtures, withTool } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

const good: ToolErrorInit = { code: 'tool_failed', message: 'It failed.', started: 'yes' }
const fails = { ...memoryFixtures.fails, expect: undefined }
const options = { fixtures: { ...memoryFixtures, fails } }

const faults: readonly (readonly [object, RegExp])[] = [
  [{ code: 'tool_faild' }, /the code "tool_faild", which is not in the table of error codes/],
  [{ code: 'toString' }, /the code "toString", which is not in the table of error codes/],
  [{ code: 'hook_blocked' }, /the code "hook_blocked", which only the gateway may give/],
  [{ started: 'perhaps' }, /started: "perhaps"; it must be yes, no or unknown/],
  [{ started: undefined }, /started: undefined; it must be yes, no or unknown/],
  [{ rule: 7 }, /rule: 7; it must be a text/],
  [{ parameter: ['a'] }, /parameter: \["a"\]; it must be a text/],
  [{ retryAfterMs: -1 }, /retryAfterMs: -1; it must be milliseconds/],
  [{ retryAfterMs: 'soon' }, /retryAfterMs: "soon"; it must be milliseconds/],
]

it.each(faults)(
  'a failure that throws a ToolError with %j fails only tool-errors',
  async (fact, said) => {
    const factory = withTool('fail', async () => {
      throw new ToolError({ ...good, ...fact })
    })
    const failed = await failedChecks(factory, options)
    expect(failed).toEqual(only('tool-errors', said))
    expect(failed['tool-errors']).toMatch(/^"memory::fail" threw .* becomes "internal"/)
  },
)

it.each(faults)(
  'an aborted call that throws a ToolError with %j fails only cancel-effect',
  async (fact, said) => {
    const factory = withTool('wait', (call, context, adapter) =>
      adapter.invoke(call, context).catch(() => {
        throw new ToolError({ ...good, ...fact })
      }),
    )
    expect(await failedChecks(factory, options)).toEqual(only('cancel-effect', said))
  },
)

it.each(faults)(
  'an entry of a batch that is an error with %j fails only batch',
  async (fact, said) => {
    const factory = memoryAdapter((adapter) => ({
      invokeBatch: async (calls, context) => {
        const results = await adapter.invokeBatch!(calls, context)
        return results.map((result) =>
          'isError' in result ? { error: { ...good, ...fact } } : result,
        )
      },
    }))
    expect(await failedChecks(factory, options)).toEqual(only('batch', said))
  },
)

it('an entry of a batch that is an error as text fails only batch', async () => {
  const factory = memoryAdapter((adapter) => ({
    invokeBatch: async (calls, context) => {
      const results = await adapter.invokeBatch!(calls, context)
      return results.map((result) =>
        'isError' in result ? { error: 'It failed.' as never } : result,
      )
    },
  }))
  expect(await failedChecks(factory, options)).toEqual(
    only('batch', /call 2: "memory::fail" gave the error "It failed."; expected \{ code/),
  )
})

it('an error with all facts fits', async () => {
  const all = { ...good, rule: 'r', parameter: '/a', retryAfterMs: 0, backend: { code: 5 } }
  const factory = withTool('fail', async () => {
    throw new ToolError(all)
  })
  expect(await failedChecks(factory, options)).toEqual({})
})
