import { createHookBus } from '@callgate/hooks'
import { defineAdapter, ToolError, type AdapterInstance, type CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

/** A tool with one place, whose first call runs until it is let go. */
function oneAtATime() {
  const first = Promise.withResolvers<string>()
  const runs: string[] = []
  const held = tool('held', ({ name }: { name: string }) => (runs.push(name), first.promise), {
    limits: { concurrency: 1 },
  })
  return { held, runs, letGo: () => first.resolve('done') }
}

describe('a call that waits for a place of its tool', () => {
  it('is answered as one of an unknown tool, where the tool is removed meanwhile', async () => {
    const { held, runs, letGo } = oneAtATime()
    const gateway = gatewayOf([held])
    const calls = ['a', 'b', 'c'].map((name) =>
      gateway.dispatch({ name: 'held', arguments: { name } }),
    )
    await expect.poll(() => runs).toEqual(['a'])
    gateway.registry.remove('local::held')
    letGo()
    const results = await Promise.all(calls)
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      'ok',
      'tool_not_found',
      'tool_not_found',
    ])
    expect(results[1]!.metadata).toMatchObject({ outcome: 'not_started', attempts: 0 })
    expect(runs).toEqual(['a'])
  })

  it('is refused like any name that it cannot see, where its caller does not see all', async () => {
    const { held, runs, letGo } = oneAtATime()
    const gateway = gatewayOf([{ ...held, permissions: { tags: ['t'] } }], {
      policy: { roles: { guest: { tagsAllow: ['t'] } } },
    })
    const calls = ['a', 'b'].map((name) =>
      gateway.dispatch({ name: 'held', arguments: { name } }, { roles: ['guest'] }),
    )
    await expect.poll(() => runs).toEqual(['a'])
    gateway.registry.remove('local::held')
    letGo()
    const unknown = await gateway.dispatch({ name: 'other', arguments: {} }, { roles: ['guest'] })
    expect((await calls[1]!).error).toEqual(unknown.error)
  })

  it('is refused where another tool has the id by then', async () => {
    const { held, runs, letGo } = oneAtATime()
    const other = tool('held', ({ name }: { name: string }) => runs.push(`other ${name}`))
    const gateway = gatewayOf([held])
    const calls = ['a', 'b', 'c'].map((name) =>
      gateway.dispatch({ name: 'held', arguments: { name } }),
    )
    await expect.poll(() => runs).toEqual(['a'])
    gateway.registry.add({ ...held, description: 'Replaces.' })
    gateway.registry.remove('local::held')
    gateway.registry.add(other)
    letGo()
    const codes = (await Promise.all(calls)).map(({ error }) => error?.code)
    expect(codes).toEqual([undefined, 'tool_not_found', 'tool_not_found'])
    await gateway.dispatch({ name: 'held', arguments: { name: 'd' } })
    expect(runs).toEqual(['a', 'other d'])
  })

  it('runs as it found its tool, where that was replaced', async () => {
    const { held, runs, letGo } = oneAtATime()
    const gateway = gatewayOf([held])
    const calls = ['a', 'b'].map((name) => gateway.dispatch({ name: 'held', arguments: { name } }))
    await expect.poll(() => runs).toEqual(['a'])
    gateway.registry.add(tool('held', () => 'other'))
    letGo()
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(['done', 'done'])
  })

  it('gives its place on, so that the tool runs again once it is back', async () => {
    const { held, runs, letGo } = oneAtATime()
    const gateway = gatewayOf([held])
    const calls = ['a', 'b'].map((name) => gateway.dispatch({ name: 'held', arguments: { name } }))
    await expect.poll(() => runs).toEqual(['a'])
    gateway.registry.remove('local::held')
    letGo()
    await Promise.all(calls)
    gateway.registry.add(held)
    const again = await gateway.dispatch({ name: 'held', arguments: { name: 'c' } })
    expect(again.status).toBe('ok')
  })
})

it('a call whose tool is removed while a hook looks at it does not run', async () => {
  const hooks = createHookBus<CallgateEvents>()
  const gateway = gatewayOf([tool('t', () => 'ran')], { hooks })
  hooks.on('pre_tool_call', async () => {
    gateway.registry.remove('local::t')
    return { action: 'allow' }
  })
  const { error } = await gateway.dispatch({ name: 't', arguments: {} })
  expect(error?.code).toBe('tool_not_found')
})

it('a call whose tool is removed around its execution, or while its adapter starts, does not run', async () => {
  const hooks = createHookBus<CallgateEvents>()
  const gateway = gatewayOf([tool('t', () => 'ran')], { hooks })
  hooks.on('tool_execution', async ({ next }) => {
    gateway.registry.remove('local::t')
    return next()
  })
  const { error, metadata } = await gateway.dispatch({ name: 't', arguments: {} })
  expect([error?.code, metadata.outcome]).toEqual(['tool_not_found', 'not_started'])

  const started = Promise.withResolvers<void>()
  let invoked = 0
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'hub',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: () => ({ start: () => started.promise, invoke: async () => ({ data: ++invoked }) }),
  })({})
  const slow = gatewayOf([declared('hub', 'slow')], { adapters: [adapter] })
  const running = slow.dispatch({ name: 'hub::slow', arguments: {} })
  await new Promise((resolve) => setImmediate(resolve))
  slow.registry.remove('hub::slow')
  started.resolve()
  expect([(await running).error?.code, invoked]).toEqual(['tool_not_found', 0])
})

it('a tool that is removed between two attempts is not tried again', async () => {
  let attempts = 0
  const failing = tool(
    't',
    () => {
      attempts++
      gateway.registry.remove('local::t')
      throw new ToolError({ code: 'backend_unavailable', message: 'Gone.', started: 'no' })
    },
    { effects: { readOnly: true }, retry: { maxRetries: 2, backoff: 'fixed', initialDelayMs: 1 } },
  )
  const gateway = gatewayOf([failing])
  const { error } = await gateway.dispatch({ name: 't', arguments: {} })
  expect([error?.code, attempts]).toEqual(['backend_unavailable', 1])
})

it.each([
  ['fails', () => Promise.reject(new Error('broken'))],
  ['says that nobody knows', () => Promise.reject(unknownOutcome)],
  ['hangs', () => new Promise<never>(() => {})],
])('an entry that was not sent says so where the batch %s', async (_, invokeBatch) => {
  const adapter = batching(invokeBatch)
  const hooks = createHookBus<CallgateEvents>()
  const tools = ['a', 'b'].map((name) => declared('hub', name, 'connectors'))
  const gateway = createGateway({ adapters: [adapter], hooks, tools, policy: { timeoutMs: 20 } })
  hooks.on('pre_tool_call', async ({ tool: id }) => {
    if (id === 'connectors::b') gateway.registry.remove('connectors::a')
  })
  const calls = ['a', 'b'].map((name) => ({ name: `connectors__${name}`, arguments: {} }))
  const { data } = await gateway.dispatch({ name: 'tool_call', arguments: { calls } })
  const [first, second] = (data as { results: { error?: { code: string } }[] }).results
  expect(first).toMatchObject({ error: { code: 'tool_not_found' } })
  expect(second!.error!.code).not.toBe('tool_not_found')
})

it('an entry of a batch whose tool is removed while it waits for the others is not sent', async () => {
  const sent: string[] = []
  const adapter = batching(async (calls) =>
    calls.map(({ tool: { name } }) => ({ data: sent.push(name) })),
  )
  const hooks = createHookBus<CallgateEvents>()
  const tools = ['a', 'b', 'c'].map((name) => declared('hub', name, 'connectors'))
  const gateway = createGateway({ adapters: [adapter], hooks, tools })
  hooks.on('pre_tool_call', async ({ tool: id }) => {
    if (id === 'connectors::c') gateway.registry.remove('connectors::a')
  })
  const calls = ['a', 'b', 'c'].map((name) => ({ name: `connectors__${name}`, arguments: {} }))
  const { data } = await gateway.dispatch({ name: 'tool_call', arguments: { calls } })
  expect(sent).toEqual(['b', 'c'])
  expect(data).toMatchObject({
    results: [{ error: { code: 'tool_not_found' } }, { response: 1 }, { response: 2 }],
  })
})

const unknownOutcome = new ToolError({
  code: 'backend_unavailable',
  message: 'Lost.',
  started: 'unknown',
})

function declared(adapter: string, name: string, namespace = adapter) {
  return {
    namespace,
    name,
    description: 'Runs.',
    parameters: { type: 'object' },
    backend: { adapter },
  }
}

function batching(invokeBatch: NonNullable<AdapterInstance['invokeBatch']>) {
  return defineAdapter<object>({
    contract: 1,
    name: 'hub',
    capabilities: { batch: true, isolation: 'connection' },
    configSchema: { type: 'object' },
    create: () => ({ invoke: async () => ({}), invokeBatch }),
  })({})
}
