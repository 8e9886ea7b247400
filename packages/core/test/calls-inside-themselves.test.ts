import { createHookBus } from '@callgate/hooks'
import { defineAdapter, type CallgateEvents, type ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

type ToolExecution = CallgateEvents['tool_execution']['payload']

/** Calls `name` again around the execution of `local::outer`, and gives what came of it. */
function callingInside(name: string) {
  const hooks = createHookBus<CallgateEvents>()
  const inner = Promise.withResolvers<unknown>()
  hooks.on(
    'tool_execution',
    async ({ call, next, arguments: args }) => {
      if (args['deep'] === undefined) {
        inner.resolve(await call({ name, arguments: { deep: true } }))
      }
      return next()
    },
    { match: '*::outer' },
  )
  return { hooks, inner: inner.promise }
}

describe('a call made inside another that holds the only place of its tool', () => {
  it('is refused at once, and told which limit it is', async () => {
    const { hooks, inner } = callingInside('outer')
    const outer = tool('outer', () => 'ran', { limits: { concurrency: 1 } })
    const { status } = await gatewayOf([outer], { hooks }).dispatch({
      name: 'outer',
      arguments: {},
    })
    expect(await inner).toMatchObject({
      status: 'error',
      error: {
        code: 'overloaded',
        rule: 'concurrency',
        message: expect.stringMatching(/1 .*local::outer/) as string,
      },
      metadata: { outcome: 'not_started' },
    })
    expect(status).toBe('ok')
  })

  it('is refused where it is a place of their adapter', async () => {
    const { hooks, inner } = callingInside('hub::inner')
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'hub',
      capabilities: { isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({ invoke: async () => ({ data: 'ran' }) }),
    })({})
    const declared = ['outer', 'inner'].map((name) => ({
      namespace: 'hub',
      name,
      description: 'Runs.',
      parameters: { type: 'object' },
      backend: { adapter: 'hub' },
    }))
    const gateway = gatewayOf(declared, {
      adapters: [adapter],
      hooks,
      policy: { adapterConcurrency: { hub: 1 } },
    })
    expect((await gateway.dispatch({ name: 'hub::outer', arguments: {} })).status).toBe('ok')
    expect(await inner).toMatchObject({ error: { code: 'overloaded', rule: 'concurrency' } })
  })

  it('is refused where another call is between them', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const inner = Promise.withResolvers<unknown>()
    const inside =
      (name: string) =>
      async ({ call, next, arguments: args }: ToolExecution): Promise<unknown> => {
        if (args['deep'] !== undefined) return next()
        const made = await call({ name, arguments: name === 'outer' ? { deep: true } : {} })
        if (name === 'outer') inner.resolve(made)
        return next()
      }
    hooks.on('tool_execution', inside('between') as never, { match: '*::outer' })
    hooks.on('tool_execution', inside('outer') as never, { match: '*::between' })
    const outer = tool('outer', () => 'ran', { limits: { concurrency: 1 } })
    const gateway = gatewayOf([outer, tool('between', () => 'ran')], { hooks })
    expect((await gateway.dispatch({ name: 'outer', arguments: {} })).status).toBe('ok')
    expect(await inner.promise).toMatchObject({ error: { code: 'overloaded' } })
  })

  it('runs where there is one more place', async () => {
    const { hooks, inner } = callingInside('outer')
    const outer = tool('outer', () => 'ran', { limits: { concurrency: 2 } })
    await gatewayOf([outer], { hooks }).dispatch({ name: 'outer', arguments: {} })
    expect(await inner).toMatchObject({ status: 'ok' })
  })

  it('waits where others hold a place that it may get', async () => {
    const { hooks, inner } = callingInside('outer')
    const held = Promise.withResolvers<string>()
    const outer = tool('outer', ({ hold }: { hold?: true }) => (hold ? held.promise : 'ran'), {
      limits: { concurrency: 2 },
    })
    const gateway = gatewayOf([outer], { hooks })
    const made: boolean[] = []
    hooks.on('pre_tool_call', ({ parentCallId }) => void made.push(parentCallId !== undefined))
    const other = gateway.dispatch({ name: 'outer', arguments: { hold: true, deep: true } })
    const outside = gateway.dispatch({ name: 'outer', arguments: {} })
    await expect.poll(() => made).toContain(true)
    held.resolve('done')
    expect(await inner).toMatchObject({ status: 'ok' })
    expect((await Promise.all([other, outside])).map(({ status }) => status)).toEqual(['ok', 'ok'])
  })
})

describe('calls that hold the only place of their tools, and wait inside for those of each other', () => {
  /** Each tool calls the next around its execution, once all hold their places. */
  function ring(names: readonly string[]) {
    const hooks = createHookBus<CallgateEvents>()
    const inner: Promise<ToolResult>[] = []
    const allIn = Promise.withResolvers<void>()
    let inside = 0
    for (const [at, name] of names.entries()) {
      const next = { name: names[(at + 1) % names.length]!, arguments: { deep: true } }
      hooks.on(
        'tool_execution',
        async ({ call, next: run, arguments: args }) => {
          if (args['deep'] !== undefined) return run()
          if (++inside === names.length) allIn.resolve()
          await allIn.promise
          inner[at] = call(next)
          await inner[at]
          return run()
        },
        { match: `*::${name}`, timeoutMs: 0 },
      )
    }
    const tools = names.map((name) => tool(name, () => name, { limits: { concurrency: 1 } }))
    return { gateway: gatewayOf(tools, { hooks }), inner }
  }

  it.each([[['a', 'b']], [['a', 'b', 'c', 'd']]])(
    'do not wait for ever: the last is refused, and the others run: %j',
    async (names) => {
      const { gateway, inner } = ring(names)
      const results = await Promise.all(
        names.map((name) => gateway.dispatch({ name, arguments: {} })),
      )
      expect(results.map(({ data }) => data)).toEqual(names)
      const codes = (await Promise.all(inner)).map(({ error }) => error?.code)
      expect(codes).toEqual(
        names.map((_, at) => (at < names.length - 1 ? undefined : 'overloaded')),
      )
    },
  )

  it('are not refused where one of them has another place', async () => {
    const { gateway, inner } = ring(['a', 'b'])
    gateway.registry.add(tool('a', () => 'a', { limits: { concurrency: 2 } }))
    await Promise.all(['a', 'b'].map((name) => gateway.dispatch({ name, arguments: {} })))
    expect((await Promise.all(inner)).map(({ status }) => status)).toEqual(['ok', 'ok'])
  })
})
