import { expect, it } from 'vitest'

import { cancelled, memoryAdapter, memoryFixtures, withTool } from './fixtures/memory-adapter.ts'
import { failedChecks, only } from './fixtures/run-suite.ts'

it('a wrong answer fails only ok', async () => {
  const factory = withTool('echo', async () => ({ data: { said: 'b' } }))
  expect(await failedChecks(factory)).toEqual(only('ok', /which is not as expected at \/said/))
})

it('a failure that is called a success fails only fails', async () => {
  const factory = withTool('fail', async () => ({ data: 'It failed.' }))
  expect(await failedChecks(factory)).toEqual(only('fails', /should fail, but succeeded/))
})

it('an error of any kind fails only tool-errors', async () => {
  const factory = withTool('fail', async () => {
    throw Object.assign(new TypeError('x is not a function'), { text: 'It failed.' })
  })
  expect(await failedChecks(factory)).toEqual(
    only('tool-errors', /"memory::fail" threw TypeError: x is not a function/),
  )
})

it('the reason of the signal as the error fails only tool-errors', async () => {
  const factory = memoryAdapter((good) => ({
    invoke: async (call, context) => {
      context.signal.throwIfAborted()
      return good.invoke(call, context)
    },
  }))
  expect(await failedChecks(factory)).toEqual(
    only('tool-errors', /aborted already threw AbortError/),
  )
})

it('arguments that are written into fail only frozen-arguments', async () => {
  const factory = memoryAdapter((good) => ({
    invoke: async (call, context) => {
      Object.assign(call.arguments, { text: call.arguments['text'] })
      return good.invoke(call, context)
    },
  }))
  expect(await failedChecks(factory)).toEqual(only('frozen-arguments', /With frozen arguments/))
})

it('arguments kept where the next call finds them fail only concurrency', async () => {
  let shared: unknown
  const factory = withTool('echo', async (call, { signal }) => {
    if (signal.aborted) throw cancelled('no')
    shared = call.arguments['text']
    await new Promise((resolve) => setImmediate(resolve))
    return { data: { said: shared } }
  })
  expect(await failedChecks(factory)).toEqual(
    only('concurrency', /Among 20 calls, call 1: "echo" gave/),
  )
})

it('large output in memory fails only large', async () => {
  const factory = withTool('dump', async () => ({ data: 'x'.repeat(3e6) }))
  expect(await failedChecks(factory)).toEqual(only('large', /The output holds 3000002 bytes/))
})

it('a blob that is not closed fails only large', async () => {
  const factory = withTool('dump', async (_call, context) => {
    await context.blob({ mediaType: 'text/plain' }).write(new Uint8Array(9))
    return { data: 'see the blob' }
  })
  expect(await failedChecks(factory)).toEqual(
    only('large', /1 blob\(s\) were opened and not closed/),
  )
})

it.each([
  [
    'nothing',
    undefined,
    /^"echo" gave undefined; expected an output: \{ data, content, isError \}\.$/,
  ],
  ['null', null, /^"echo" gave null; expected an output/],
  ['bare text', 'a', /^"echo" gave "a"; expected an output/],
  ['content that is no list', { content: 'a' }, /^"echo" gave the content "a"; expected a list/],
  ['empty parts', { content: [null] }, /^"echo" gave the content \[null\]; expected a list/],
  ['isError as text', { isError: 'no' }, /^"echo" gave isError "no"; expected true or false\.$/],
])('%s as the output fails ok, and the text says so', async (_what, output, said) => {
  const failed = await failedChecks(withTool('echo', async () => output as never))
  expect(failed['ok']).toMatch(said)
  for (const text of Object.values(failed))
    expect(text).not.toMatch(/Cannot read|is not a function/)
})

it('nothing as the output of a failure fails only fails', async () => {
  const factory = withTool('fail', async () => undefined as never)
  expect(await failedChecks(factory)).toEqual(
    only('fails', /^"memory::fail" gave undefined; expected an output/),
  )
})

it('an expression with the flag g fits each of many outcomes', async () => {
  const fails = { ...memoryFixtures.fails, expect: { text: /failed/g } }
  expect(await failedChecks(memoryAdapter(), { fixtures: { ...memoryFixtures, fails } })).toEqual(
    {},
  )
})

it('health that is given without a promise is health', async () => {
  const factory = memoryAdapter(() => ({ health: (() => ({ state: 'ok' })) as never }))
  expect(await failedChecks(factory)).toEqual({})
})
