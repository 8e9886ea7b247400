import { createHookBus } from '@callgate/hooks'
import { InvalidOptionsError, ToolError, type CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, expandToolCalls, memoryAudit } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

/** What nobody should throw, and some do. */
const nothing = undefined as unknown as Error

const works = tool('works', () => 1)

/** Objects at which nobody can look. */
const unreadable: readonly [name: string, call: object][] = [
  [
    'a getter that throws',
    {
      id: 'c',
      get name() {
        throw new Error('no')
      },
    },
  ],
  [
    'an id that throws',
    {
      name: 'works',
      arguments: '{}',
      get id() {
        throw new Error('no')
      },
    },
  ],
  [
    'a revoked proxy',
    ((): object => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    })(),
  ],
]

describe('a tool that throws a ToolError with a code that is none', () => {
  it.each(['nope', '__proto__', 'constructor', ''])('is internal: %j', async (code) => {
    const broken = tool('broken', () => {
      throw new ToolError({ code: code as never, message: 'm', started: 'yes' })
    })
    const { results } = await gatewayOf([broken, works]).runTurn({
      toolCalls: [
        { id: 'a', name: 'broken', arguments: '{}' },
        { id: 'b', name: 'works', arguments: '{}' },
      ],
    })
    expect(results.map(({ status }) => status)).toEqual(['error', 'ok'])
    expect(['internal', 'tool_failed']).toContain(results[0]!.error!.code)
  })
})

describe.each(unreadable)('a call that is %s', (_, call) => {
  it('is answered, and its neighbours run', async () => {
    const { results } = await gatewayOf([works]).runTurn({
      toolCalls: [call as never, { id: 'b', name: 'works', arguments: '{}' }],
    })
    expect(results).toHaveLength(2)
    expect(results[1]).toMatchObject({ callId: 'b', status: 'ok' })
  })

  it('is answered alone too', async () => {
    const { callId } = await gatewayOf([works]).dispatch(call as never)
    expect(callId).not.toBe('')
  })

  it('does not make expansion throw', () => {
    const turn = { toolCalls: [call as never] }
    expect(expandToolCalls(turn).toolCalls).toHaveLength(1)
  })
})

describe('arguments at whose prototype nobody can look', () => {
  const hostile = (): object =>
    new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error('no')
        },
      },
    )
  const call = (id: string) => ({
    id,
    name: 'tool_call',
    arguments: {
      calls: ['connectors__x__y', 'connectors__x__z'].map((name) => ({
        name,
        arguments: hostile(),
      })),
    },
  })

  it('in a batch for one adapter are answered', async () => {
    const gateway = gatewayOf([works])
    expect((await gateway.dispatch(call('a'))).status).toBe('error')
    const { results } = await gateway.runTurn({
      toolCalls: [call('a'), { id: 'b', name: 'works', arguments: '{}' }],
    })
    expect(results.map(({ callId, status }) => [callId, status])).toEqual([
      ['a', 'error'],
      ['b', 'ok'],
    ])
  })

  it('do not keep the other batches of the turn from being expanded', () => {
    const batch = {
      id: 'b',
      name: 'tool_call',
      arguments: { calls: ['one', 'two'].map((name) => ({ name, arguments: {} })) },
    }
    expect(expandToolCalls({ toolCalls: [call('a'), batch] }).toolCalls).toHaveLength(3)
  })
})

describe('a name of two million characters', () => {
  const name = 'x'.repeat(2e6)
  const calls: readonly [what: string, call: object][] = [
    ['of a call', { id: 'a', name, arguments: {} }],
    [
      'of an entry',
      { id: 'a', name: 'tool_call', arguments: { calls: [{ name, arguments: {} }] } },
    ],
    [
      'of an entry that was not split off',
      {
        id: 'a',
        name: 'tool_call',
        arguments: { calls: [{ name, arguments: {} }, { name }] },
      },
    ],
  ]
  it.each(calls)('%s makes no result and no entry of the audit as long', async (_, call) => {
    for (const roles of [undefined, { nobody: { tagsAllow: [] } }]) {
      const audit = memoryAudit()
      const gateway = gatewayOf([works], {
        ports: { audit },
        ...(roles === undefined ? {} : { policy: { roles } }),
      })
      const results = [
        await gateway.dispatch(call as never),
        ...(await gateway.runTurn({ toolCalls: [call as never] }, { roles: ['nobody'] })).results,
      ]
      expect(results.map(({ status }) => status)).not.toContain('ok')
      for (const { data: _data, ...told } of results)
        expect(JSON.stringify(told).length).toBeLessThan(3000)
      const entries = audit.entries() as readonly { readonly tool: string }[]
      expect(Math.max(...entries.map((entry) => entry.tool.length))).toBeLessThan(300)
    }
  })

  it('is told in so far that a person knows it again', async () => {
    const { tool: asked, error } = await gatewayOf([works]).dispatch({ name, arguments: {} })
    expect(asked).toBe(`${'x'.repeat(200)}…`)
    expect(error?.message).toBe(`There is no tool named "${asked}".`)
  })

  it('is that of a call that a turn has no room for', async () => {
    const { results } = await gatewayOf([works], { policy: { maxCallsPerTurn: 1 } }).runTurn({
      toolCalls: [
        { id: 'a', name: 'works', arguments: {} },
        { id: 'b', name, arguments: {} },
      ],
    })
    expect(results[1]!.error?.rule).toBe('maxCallsPerTurn')
    expect(JSON.stringify(results[1]).length).toBeLessThan(3000)
  })
})

/** Things that have no text, or at which nobody can look. */
const textless: readonly (readonly [name: string, make: () => object])[] = [
  ['an object without a prototype', () => Object.create(null) as object],
  [
    'an object whose text throws',
    () => ({
      toString() {
        throw nothing
      },
      toJSON() {
        throw nothing
      },
    }),
  ],
  [
    'a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    },
  ],
  [
    'an error whose message throws',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get() {
          throw nothing
        },
      }),
  ],
]

describe.each(textless)('%s, thrown', (__, make) => {
  const thrower = (): never => {
    throw make() as Error
  }

  it('by a tool, at once or later, is the failure of that tool', async () => {
    for (const execute of [thrower, async () => thrower()]) {
      const { error } = await gatewayOf([tool('t', execute)]).dispatch({ name: 't', arguments: {} })
      expect(error?.code).toBe('tool_failed')
    }
  })

  it('by a hook refuses the call', async () => {
    for (const event of ['pre_tool_call', 'tool_execution'] as const) {
      const hooks = createHookBus<CallgateEvents>()
      hooks.on(event, thrower)
      const { status } = await gatewayOf([works], { hooks }).dispatch({
        name: 'works',
        arguments: {},
      })
      expect(status).toBe('denied')
    }
  })

  it('by a port, a schema, a callback or an approver makes no call reject', async () => {
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'x',
        validate: thrower,
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    }
    const rejecting = async (): Promise<never> => thrower()
    for (const append of [thrower, rejecting]) {
      const gateway = gatewayOf(
        [
          tool('t', (_, { progress }) => progress({ note: 'half' })),
          tool('s', () => 1, { parameters: schema }),
          tool('c', () => 1, { confirm: true }),
        ],
        { ports: { audit: { append }, statistics: { record: thrower } }, approver: thrower },
      )
      const { results } = await gateway.runTurn(
        { toolCalls: ['t', 's', 'c'].map((name) => ({ id: name, name, arguments: {} })) },
        { onProgress: thrower, onResult: append },
      )
      expect(results).toHaveLength(3)
    }
  })
})

it('resources that are told with a promise leave no rejection behind, and the call runs alone', async () => {
  const late = { resources: async () => Promise.reject(new Error('no')) } as never
  const { results } = await gatewayOf([tool('t', () => 1, { effects: late })]).runTurn({
    toolCalls: [{ id: 'a', name: 't', arguments: {} }],
  })
  expect(results[0]?.status).toBe('ok')
})

describe('what is no turn and no context', () => {
  it.each([[null], [{}], [{ toolCalls: null }], ['text']])('is refused: %j', async (turn) => {
    await expect(gatewayOf([works]).runTurn(turn as never)).rejects.toThrow(InvalidOptionsError)
  })

  it.each([
    [null],
    ['text'],
    [{ roles: null }],
    [{ roles: 'admin' }],
    [{ roles: [7] }],
    [{ signal: null }],
    [{ sessionId: 7 }],
    [{ deadlineMs: '1000' }],
    [{ deadlineMs: Number.NaN }],
    [{ labels: 'a' }],
    [{ scope: ['a'] }],
    [{ onResult: true }],
  ])('is refused: %j', async (context) => {
    const call = { name: 'works', arguments: '{}' }
    const answer = gatewayOf([works]).dispatch(call, context as never)
    await expect(answer).rejects.toThrow(InvalidOptionsError)
  })
})

describe('an observer that calls tools in a circle', () => {
  it('ends', async () => {
    const hooks = createHookBus<CallgateEvents>()
    let seen = 0
    hooks.on('post_tool_call', async (payload) => {
      seen++
      await payload.call({ name: 'works', arguments: {} })
    })
    const gateway = createGateway({ tools: [works], hooks })
    expect(await gateway.dispatch({ name: 'works', arguments: {} })).toMatchObject({ status: 'ok' })
    await hooks.idle()
    expect(seen).toBeGreaterThan(1)
    expect(seen).toBeLessThan(20)
  })
})

describe('a gate that throws nothing, or answers what cannot be read', () => {
  const gates: readonly [name: string, gate: () => unknown][] = [
    [
      'throws undefined',
      () => {
        throw nothing
      },
    ],
    ['rejects with undefined', () => Promise.reject(nothing)],
    [
      'answers a getter that throws',
      () => ({
        get action() {
          throw new Error('no')
        },
      }),
    ],
  ]
  it.each(gates)('%s: the call is denied as hook_failed', async (_, gate) => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', gate as never)
    const gateway = createGateway({ tools: [works], hooks })
    const { status, error } = await gateway.dispatch({ name: 'works', arguments: {} })
    expect({ status, code: error?.code }).toEqual({ status: 'denied', code: 'hook_failed' })
  })
})

it('ten thousand calls with one id get ids of their own without looking through all of them', () => {
  let looked = 0
  const toolCalls = Array.from({ length: 10_000 }, () => ({
    get id() {
      looked++
      return 'same'
    },
    name: 'works',
    arguments: '{}',
  }))
  const turn = expandToolCalls({ toolCalls })
  expect(new Set(turn.toolCalls.map(({ id }) => id)).size).toBe(10_000)
  expect(looked).toBeLessThan(200_000)
})
