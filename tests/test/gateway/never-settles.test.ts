import { createGateway, defineTool, type FunctionTool, type GatewayOptions } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { AssistantTurn, CallContext, CallgateEvents, Logger, ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock, type VirtualClock } from '../../src/virtual-clock.ts'

const never = new Promise<never>(() => {})

function tool(execute: FunctionTool['execute'], more: Partial<FunctionTool> = {}): FunctionTool {
  return defineTool({
    namespace: 'local',
    name: 't',
    description: 't',
    parameters: { type: 'object' },
    ...more,
    execute,
  } as Parameters<typeof defineTool>[0])
}

const works = tool(() => 'x'.repeat(100))
const fails = tool(() => {
  throw new Error('no')
})
const asks = { type: 'object', '~standard': standard(() => never) } as unknown

function standard(validate: () => unknown): object {
  return { version: 1, vendor: 'x', validate, jsonSchema: { input: () => ({ type: 'object' }) } }
}

interface Part {
  readonly options?: GatewayOptions
  readonly context?: CallContext
  readonly on?: keyof CallgateEvents
  readonly kind?: 'transform'
}

/** Each of these has a part that never settles. */
const parts: readonly (readonly [name: string, part: Part])[] = [
  ['a gate', { on: 'pre_tool_call' }],
  ['a transform of arguments', { on: 'pre_tool_call', kind: 'transform' }],
  ['a hook around the execution', { on: 'tool_execution' }],
  ['a hook on the error', { on: 'tool_error', options: { tools: [fails] } }],
  ['a hook on the result', { on: 'transform_tool_result' }],
  ['a tool', { options: { tools: [tool(() => never)] } }],
  ['a schema', { options: { tools: [tool(() => 1, { parameters: asks as never })] } }],
  ['the audit', { options: { ports: { audit: { append: () => never } } } }],
  [
    'the store of blobs',
    {
      options: {
        policy: { resultCapBytes: 10 },
        ports: {
          blobs: { open: () => ({ write: () => never, close: () => never }), read: () => never },
        },
      },
    },
  ],
]

const storing: readonly (readonly [name: string, part: Part])[] = [
  ['the storing of the turn', { context: { onExpanded: () => never } }],
  ['the storing of a result', { context: { onResult: () => never } }],
]

const turn: AssistantTurn = {
  toolCalls: Array.from({ length: 5 }, (_, n) => ({ id: `c${n}`, name: 't', arguments: {} })),
}

function run(time: VirtualClock, { options, context, on, kind }: Part, signal?: AbortSignal) {
  const hooks = createHookBus<CallgateEvents>({ clock: time.clock })
  if (on !== undefined) hooks.on(on, (() => never) as never, kind && { kind })
  const gateway = createGateway({
    tools: [works],
    hooks,
    ...options,
    ports: { clock: time.clock, ...options?.ports },
  })
  return gateway.runTurn(turn, { ...context, ...(signal && { signal }) })
}

describe('a turn of which one part never settles', () => {
  it.each([...parts, ...storing])('settles within 100 ms of a stop: %s', async (_, part) => {
    const time = createVirtualClock()
    const stop = new AbortController()
    time.clock.setTimeout(() => stop.abort(), 500)
    const startedAt = time.clock.now()
    const { results } = await time.settle(run(time, part, stop.signal))
    expect(time.clock.now() - startedAt).toBeLessThanOrEqual(600)
    expect(results.map(({ callId }) => callId)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'])
  })

  it.each(parts)('settles without a stop too: %s', async (_, part) => {
    const time = createVirtualClock()
    const { results } = await time.settle(run(time, part))
    expect(results).toHaveLength(5)
  })
})

describe('what an audit that is late leaves', () => {
  it('is the result, and an error in the log with a code', async () => {
    const time = createVirtualClock()
    const errors: object[] = []
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (_: string, more = {}) => errors.push(more),
    }
    const gateway = createGateway({
      tools: [works],
      log: log as Logger,
      ports: { clock: time.clock, audit: { append: () => never } },
    })
    const { status } = await time.settle(gateway.dispatch({ name: 't', arguments: {} }))
    expect(status).toBe('ok')
    expect(errors).toMatchObject([
      { code: 'timeout', error: expect.stringMatching(/5000 ms/) as string },
    ])
  })
})

describe('what others throw', () => {
  const thrower = (): never => {
    throw new Error('no')
  }
  async function rejections(work: () => Promise<unknown>): Promise<readonly unknown[]> {
    const seen: unknown[] = []
    const note = (reason: unknown): void => void seen.push(reason)
    process.on('unhandledRejection', note)
    await work()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    return seen
  }

  it('a log, statistics or a listener: neither the call nor the registry fails', async () => {
    const log = { debug: thrower, info: thrower, warn: thrower, error: thrower }
    const gateway = createGateway({
      tools: [works],
      log,
      ports: { statistics: { record: thrower }, audit: { append: thrower } },
    })
    gateway.registry.on('added', thrower)
    gateway.registry.add(tool(() => 1, { name: 'new' }))
    expect((await gateway.dispatch({ name: 'new', arguments: {} })).status).toBe('ok')
  })

  it('an onProgress that rejects leaves no rejection behind', async () => {
    const reports = tool((_, { progress }) => progress({ note: 'half' }))
    const gateway = createGateway({ tools: [reports] })
    const onProgress = (): never => Promise.reject(new Error('no')) as never
    expect(
      await rejections(() => gateway.dispatch({ name: 't', arguments: {} }, { onProgress })),
    ).toEqual([])
  })

  it('a turn that nobody can look at leaves no rejection behind', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('turn_start', () => {})
    const gateway = createGateway({ tools: [works], hooks })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const toolCalls = [proxy as never]
    expect(await rejections(() => gateway.runTurn({ toolCalls }))).toEqual([])
  })
})

describe('progress', () => {
  it('is of the call that makes it, and ends with it', async () => {
    const seen: object[] = []
    let report: (progress: object) => void = () => {}
    const gateway = createGateway({
      tools: [
        tool((_, context) => {
          report = context.progress
          report({ callId: 'another', note: 'half' })
          return 1
        }),
      ],
    })
    const onProgress = (progress: object): void => void seen.push(progress)
    await gateway.dispatch({ id: 'c', name: 't', arguments: {} }, { onProgress })
    report({ note: 'late' })
    expect(seen).toEqual([{ callId: 'c', note: 'half' }])
  })
})

describe('a turn that hooks watch', () => {
  it("is still the caller's: nothing of it is frozen", async () => {
    const hooks = createHookBus<CallgateEvents>()
    const seen: boolean[] = []
    hooks.on('turn_start', (payload) => void seen.push(Object.isFrozen(payload.turn.toolCalls[0])))
    const gateway = createGateway({ tools: [works], hooks })
    const block = { type: 'tool_use', id: 'a', input: {} }
    const own = {
      toolCalls: [{ id: 'a', name: 't', arguments: {} as object }],
      contentBlocks: { anthropic: [block] },
    }
    await gateway.runTurn(own)
    await hooks.idle()
    expect(seen).toEqual([true])
    expect([own, own.toolCalls, own.toolCalls[0]!.arguments, block].some(Object.isFrozen)).toBe(
      false,
    )
  })
})

describe('a hook on the error', () => {
  it('hears of every call that ends in an error, whether its tool ran or not; a refusal is none', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const heard: string[] = []
    hooks.on('tool_error', ({ error }) => {
      heard.push(error.code)
      return { action: 'modify', message: `In short: ${error.code}` }
    })
    hooks.on('pre_tool_call', ({ arguments: args }) =>
      args['n'] === 0 ? { action: 'block' } : undefined,
    )
    const gateway = createGateway({
      tools: [
        tool(() => 1, {
          parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
          limits: { perMinute: 1 },
        }),
        { ...fails, name: 'fails' },
      ],
      hooks,
    })
    const told: (string | undefined)[] = []
    const calls: readonly [string, unknown][] = [
      ['t', { n: 'x' }],
      ['t', '{"n": 1'],
      ['t', { n: 0 }],
      ['t', { n: 1 }],
      ['t', { n: 2 }],
      ['fails', {}],
      ['nothing', {}],
    ]
    for (const [name, args] of calls) {
      const result: ToolResult = await gateway.dispatch({ name, arguments: args })
      told.push(result.error?.message)
    }
    expect(heard).toEqual(['invalid_arguments', 'malformed_call', 'rate_limited', 'tool_failed'])
    expect(told[0]).toBe('In short: invalid_arguments')
    expect(told[6]).toMatch(/no tool named/)
  })
})

describe('a hook with a scope', () => {
  it('hears of the calls of that scope and below, on every event', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const heard: string[] = []
    const hear = (event: keyof CallgateEvents, answer?: unknown): void => {
      hooks.on(event, (() => (heard.push(event), answer)) as never, { scope: 'team' })
    }
    hear('turn_start')
    hear('pre_tool_call')
    hear('transform_tool_result')
    hear('post_tool_call')
    hear('turn_end')
    hooks.on('tool_execution', ({ next }) => (heard.push('tool_execution'), next()), {
      scope: 'team',
    })
    const gateway = createGateway({ tools: [works], hooks })
    const one = { toolCalls: [{ id: 'c', name: 't', arguments: {} }] }
    await gateway.runTurn(one)
    await gateway.runTurn(one, { scope: 'teams/agent' })
    await hooks.idle()
    expect(heard).toEqual([])
    await gateway.runTurn(one, { scope: 'team/agent' })
    await hooks.idle()
    expect(heard.toSorted()).toEqual([
      'post_tool_call',
      'pre_tool_call',
      'tool_execution',
      'transform_tool_result',
      'turn_end',
      'turn_start',
    ])
  })
})

describe('a gateway that was closed', () => {
  it('says so, is closed once, and is not started again', async () => {
    let stops = 0
    const gateway = createGateway({ tools: [works] })
    gateway.registry.on('removed', () => stops++)
    await Promise.all([gateway.close(), gateway.close()])
    const call = { id: 'c', name: 't', arguments: {} }
    const closed = {
      status: 'cancelled',
      error: { code: 'cancelled', rule: 'gateway-closed', message: /gateway is closed/ },
    }
    const dispatched = await gateway.dispatch(call)
    expect(dispatched.error?.message).toMatch(closed.error.message)
    expect((await gateway.runTurn({ toolCalls: [call] })).results[0]).toMatchObject({
      status: 'cancelled',
      error: { rule: 'gateway-closed' },
    })
    await expect(gateway.start()).rejects.toThrow(/gateway is closed/)
  })
})
