import type { AdapterCall } from '@callgate/spec'
import { expect, it } from 'vitest'

import {
  cancelled,
  memoryAdapter,
  memoryFixtures,
  memoryInstance,
  withTool,
} from './fixtures/memory-adapter.ts'
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

type Write = (call: AdapterCall) => void

it.each<readonly [string, Write]>([
  ['arguments', ({ arguments: args }) => Object.assign(args, { text: args['text'] })],
  ['the tool', ({ tool }) => Object.assign(tool, { seen: true })],
  ['a part of the tool', ({ tool }) => Object.assign(tool.backend, { seen: true })],
])(
  '%s that are written into fail frozen-arguments, and each check that calls',
  async (_what, write) => {
    const factory = memoryAdapter((good) => ({
      invoke: async (call, context) => {
        write(call)
        return good.invoke(call, context)
      },
    }))
    const failed = await failedChecks(factory)
    const said = /TypeError: Cannot (assign to read only|add) property/
    expect(failed).toMatchObject({
      ok: expect.stringMatching(said),
      large: expect.stringMatching(said),
    })
    expect(failed['frozen-arguments']).toMatch(
      /^With a frozen tool and frozen arguments: "echo" should/,
    )
  },
)

it.each([
  ['fail', 'tool-errors', /"memory::fail" threw TypeError: Cannot add property seen/],
  ['wait', 'cancel', /"wait" ended by itself, throwing TypeError: Cannot add property seen/],
  ['dump', 'large', /"dump" should succeed, but threw TypeError: Cannot add property seen/],
  ['count', 'progress', /"count" ended and reported no progress/],
])('a tool that is written into where only %s runs fails %s', async (name, check, said) => {
  const factory = withTool(name, async (call, context, good) => {
    Object.assign(call.tool, { seen: true })
    return good.invoke(call, context)
  })
  expect((await failedChecks(factory))[check]).toMatch(said)
})

it('a tool that is written into by a batch fails only batch', async () => {
  const factory = memoryAdapter((good) => ({
    invokeBatch: async (calls, context) => {
      for (const { tool } of calls) Object.assign(tool, { seen: true })
      return good.invokeBatch!(calls, context)
    },
  }))
  expect(await failedChecks(factory)).toEqual(only('batch', /Cannot add property seen/))
})

it('a declared tool that is written into by accept fails every check that starts', async () => {
  const factory = memoryAdapter(() => ({
    accept: (tool) => void Object.assign(tool, { seen: true }),
  }))
  const [tool] = await memoryInstance().discover!(new AbortController().signal)
  const tools = [{ ...tool!, name: 'declared', namespace: 'memory' }]
  const failed = await failedChecks(factory, { fixtures: memoryFixtures, tools })
  expect(failed['lifecycle']).toMatch(/Cannot add property seen/)
  expect(tools).toEqual([expect.not.objectContaining({ seen: true })])
})

it('what the adapter announced stays its own to write to', async () => {
  const factory = memoryAdapter((good) => ({
    discover: async (signal) => {
      const tools = await good.discover!(signal)
      for (const tool of announced) Object.assign(tool, { again: true })
      announced.push(...tools)
      return tools
    },
  }))
  const announced: object[] = []
  expect(await failedChecks(factory)).toEqual({})
})

it('a context that is copied has no signal and tells no progress, as at the gateway', async () => {
  const factory = memoryAdapter((good) => ({
    invoke: (call, context) => good.invoke(call, { ...context, log: context.log }),
  }))
  const failed = await failedChecks(factory)
  expect(failed['ok']).toMatch(/TypeError/)
})

it('a context whose parts are replaced fails ok, as at the gateway', async () => {
  const factory = withTool('echo', async (call, context, good) => {
    Object.assign(context, { progress: () => {} })
    return good.invoke(call, context)
  })
  expect((await failedChecks(factory))['ok']).toMatch(/TypeError: Cannot set property progress/)
})

it('the parts of a context work when they are taken out', async () => {
  const factory = memoryAdapter((good) => ({
    invoke: (call, { signal, log, progress, blob }) =>
      good.invoke(call, { signal, log, progress, blob }),
  }))
  expect(await failedChecks(factory)).toEqual({})
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
