import {
  defineAdapter,
  ToolError,
  type AdapterInstance,
  type AssistantTurn,
  type ToolDefinition,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, type Gateway, type GatewayOptions } from '../src/index.ts'
import { tool as functionTool } from './tools.ts'

describe('the one result of a batch of connectors', () => {
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'hub',
    capabilities: { batch: true, isolation: 'connection' },
    configSchema: { type: 'object' },
    create: () => ({
      invoke: async () => ({}),
      invokeBatch: async (calls) =>
        calls.map(({ arguments: args }) => ({ data: { text: args['text'] } })),
    }),
  })
  const tool: ToolDefinition = {
    namespace: 'connectors',
    name: 'say',
    description: 'Says it.',
    parameters: { type: 'object' },
    backend: { adapter: 'hub' },
  }

  it('is capped as a whole, stays what it is, and is said to come from outside', async () => {
    const gateway = createGateway({
      adapters: [adapter({})],
      tools: [tool],
      policy: { resultCapBytes: 2000 },
    })
    const calls = Array.from({ length: 10 }, () => ({
      name: 'connectors__say',
      arguments: { text: 'x'.repeat(600) },
    }))
    const { data, content, metadata } = await gateway.dispatch({
      name: 'tool_call',
      arguments: { calls },
    })
    expect(data).toMatchObject({ success_count: 10, total_count: 10 })
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(2000)
    expect(content.at(-1)).toMatchObject({ text: expect.stringContaining('result_read') as string })
    expect(metadata).toMatchObject({
      untrusted: true,
      truncated: { totalBytes: expect.any(Number) as number },
    })
  })

  it('is cancelled where the batch was stopped before anything of it ran', async () => {
    const gateway = createGateway({ adapters: [adapter({})], tools: [tool] })
    const calls = [1, 2].map(() => ({ name: 'connectors__say', arguments: {} }))
    const call = { id: 'x', name: 'tool_call', arguments: { calls } }
    const { results } = await gateway.runTurn(
      { toolCalls: [call] },
      { signal: AbortSignal.abort() },
    )
    expect(results).toMatchObject([
      {
        callId: 'x',
        status: 'cancelled',
        error: { code: 'cancelled' },
        metadata: { outcome: 'not_started' },
      },
    ])
  })
})

describe('a batch of connectors', () => {
  function gatewayWith(
    invokeBatch: unknown,
    more: Partial<ToolDefinition> = {},
    options: GatewayOptions = {},
  ): Gateway {
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'hub',
      capabilities: { batch: true, isolation: 'connection' },
      configSchema: { type: 'object' },
      create: () => ({
        invoke: async () => ({}),
        invokeBatch: invokeBatch as NonNullable<AdapterInstance['invokeBatch']>,
      }),
    })
    const say: ToolDefinition = {
      namespace: 'connectors',
      name: 'say',
      description: 'Says it.',
      parameters: { type: 'object' },
      backend: { adapter: 'hub' },
      ...more,
    }
    return createGateway({
      ...options,
      adapters: [adapter({})],
      tools: [say, functionTool('instead', () => 'instead')],
    })
  }
  const callOf = (count: number, id = 'x') => ({
    id,
    name: 'tool_call',
    arguments: {
      calls: Array.from({ length: count }, () => ({ name: 'connectors__say', arguments: {} })),
    },
  })
  const never = (): Promise<never> => new Promise(() => {})

  it('keeps the deadline of its caller', async () => {
    const gateway = gatewayWith(never, {}, { policy: { timeoutMs: 60_000 } })
    const { data } = await gateway.dispatch(callOf(2), { deadlineMs: 50 })
    expect(data).toMatchObject({ results: [{ error: { code: 'timeout' } }, {}], error_count: 2 })
  })

  it('may take as long as its tool declares', async () => {
    const waits: number[] = []
    const clock = {
      now: () => 0,
      setTimeout: (_run: () => void, ms: number) => waits.push(ms),
      clearTimeout: () => {},
    }
    const options = { policy: { timeoutMs: 20 }, ports: { clock } }
    const gateway = gatewayWith(async () => [{ data: 1 }], { timeoutMs: 30_000 }, options)
    expect((await gateway.dispatch(callOf(1))).data).toMatchObject({ success_count: 1 })
    expect(waits).toContain(30_000)
    expect(waits).not.toContain(20)
  })

  it('falls back on a tool of another adapter', async () => {
    const away = async (): Promise<never> => {
      throw new ToolError({ code: 'backend_unavailable', message: 'away', started: 'no' })
    }
    const gateway = gatewayWith(away, { fallback: ['local::instead'] })
    const { data } = await gateway.dispatch(callOf(2))
    const answered = { response: 'instead' }
    expect(data).toMatchObject({ results: [answered, answered], success_count: 2 })
  })

  it.each([
    [{ error: undefined, data: 2 }, { response: 2 }],
    [{ error: 'away' }, { error: { code: 'outcome_unknown' } }],
    [null, { error: { code: 'outcome_unknown' } }],
  ])('with the answer %j for one entry keeps that of another', async (answer, expected) => {
    const gateway = gatewayWith(async () => [{ data: 1 }, answer])
    const { data } = await gateway.dispatch(callOf(2))
    expect(data).toMatchObject({ results: [{ response: 1 }, expected] })
  })

  it('of which nothing succeeded is no success, and says why', async () => {
    const answers = (...given: readonly unknown[]) => gatewayWith(async () => given)
    const failed = (code: string, message = code) => ({ error: { code, message, started: 'no' } })
    const outcome = async (gateway: Gateway, count: number) => {
      const { status, error, data } = await gateway.dispatch(callOf(count))
      expect(data).toMatchObject({ error_count: count, total_count: count })
      return [status, error?.code, error?.message]
    }
    expect(await outcome(answers(failed('tool_failed', 'no such box')), 1)).toEqual([
      'error',
      'tool_failed',
      'no such box',
    ])
    const away = failed('backend_unavailable', 'away')
    expect(await outcome(answers(away, away), 2)).toEqual(['error', 'backend_unavailable', 'away'])
    const each = 'No entry of the batch succeeded; each says why.'
    const denied = failed('permission_denied')
    expect(await outcome(answers(denied, failed('permission_denied', 'too')), 2)).toEqual([
      'denied',
      'permission_denied',
      each,
    ])
    expect(await outcome(answers(denied, away), 2)).toEqual(['error', 'tool_failed', each])
  })

  it('of which one entry succeeded is a success', async () => {
    const away = { error: { code: 'backend_unavailable', message: 'away', started: 'no' } }
    const gateway = gatewayWith(async () => [away, { data: 1 }])
    const { status, error } = await gateway.dispatch(callOf(2))
    expect([status, error]).toEqual(['ok', undefined])
  })

  it('of one entry that waits for a person waits under its ticket', async () => {
    const approvals = {
      durable: true,
      put: async () => {},
      decide: async () => 'gone' as const,
      claim: async () => undefined,
      withdraw: async () => {},
      list: async () => [],
      grant: async () => {},
      granted: async () => false,
    }
    const gateway = gatewayWith(never, { confirm: true }, { ports: { approvals } })
    const { status, error, metadata } = await gateway.dispatch(callOf(1))
    expect([status, error?.code]).toEqual(['pending', 'approval_required'])
    expect(metadata.ticketId).toMatch(/^ticket_/)
  })

  it('keeps no entry waiting for what answers in place of another', async () => {
    const ran = Promise.withResolvers<void>()
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'hub',
      capabilities: { batch: true, isolation: 'connection' },
      configSchema: { type: 'object' },
      create: () => ({
        invoke: async () => ({}),
        async invokeBatch(calls) {
          ran.resolve()
          return calls.map(() => ({ data: 'ran' }))
        },
      }),
    })
    const connector = (name: string, backend: string, fallback: string[] = []) => ({
      namespace: 'connectors',
      name,
      description: 'Does it.',
      parameters: { type: 'object' },
      backend: { adapter: backend },
      fallback,
    })
    const after = functionTool('after', async () => {
      await ran.promise
      return 'after it'
    })
    const gateway = createGateway({
      adapters: [adapter({})],
      tools: [connector('gone', 'redis', ['local::after']), connector('there', 'hub'), after],
    })
    const calls = ['gone', 'there'].map((name) => ({ name: `connectors__${name}`, arguments: {} }))
    const { data } = await gateway.dispatch({ name: 'tool_call', arguments: { calls } })
    expect(data).toMatchObject({ results: [{ response: 'after it' }, { response: 'ran' }] })
  })

  it('is no loop, however often a model sends the same in one turn', async () => {
    const all = async (calls: readonly unknown[]) => calls.map(() => ({ data: 1 }))
    const gateway = gatewayWith(all, { effects: { readOnly: true } })
    const context = { sessionId: 's' }
    const toolCalls = ['a', 'b'].map((id) => callOf(10, id))
    await gateway.runTurn({ toolCalls }, context)
    await gateway.dispatch(callOf(10), context)
    const { data } = await gateway.dispatch(callOf(1), context)
    expect(data).toMatchObject({ success_count: 1 })
  })

  it('gets something done, so the task goes on while another tool fails', async () => {
    const all = async (calls: readonly unknown[]) => calls.map(() => ({ data: 1 }))
    const gateway = gatewayWith(all)
    const failing = { name: 'nobody', arguments: {} }
    for (let turn = 0; turn < 9; turn++) {
      const toolCalls = [callOf(1), { ...failing, arguments: { turn } }]
      const context = { sessionId: 's', task: 't' }
      const { results } = await gateway.runTurn({ toolCalls }, context)
      expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
        'ok',
        'tool_not_found',
      ])
    }
  })

  it('inside a composite tool takes no time of it while a person is asked', async () => {
    const timers = new Set<{ readonly at: number; readonly run: () => void }>()
    let now = 0
    const clock = {
      now: () => now,
      setTimeout(run: () => void, ms: number) {
        const timer = { at: now + ms, run }
        timers.add(timer)
        return timer
      },
      clearTimeout: (timer: unknown) => void timers.delete(timer as never),
    }
    const pass = (ms: number): void => {
      now += ms
      for (const timer of timers) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.run()
      }
    }
    const all = async (calls: readonly unknown[]) => calls.map(() => ({ data: 1 }))
    const options: GatewayOptions = {
      ports: { clock },
      async approver() {
        pass(60_000)
        return { decision: 'approve' }
      },
    }
    const gateway = gatewayWith(all, { confirm: true }, options)
    gateway.registry.add({
      namespace: 'local',
      name: 'both',
      description: 'Does it.',
      parameters: { type: 'object' },
      timeoutMs: 1000,
      backend: {
        adapter: 'composite',
        steps: [{ tool: 'tool_call', arguments: callOf(1).arguments }],
      },
    })
    const result = await gateway.dispatch({ name: 'both', arguments: {} })
    expect(result).toMatchObject({ status: 'ok', data: { success_count: 1 } })
  })

  it('of an adapter that serves none says so', async () => {
    const gateway = createGateway({
      tools: [functionTool('say', () => 1, { namespace: 'connectors' })],
    })
    const { error } = await gateway.dispatch(callOf(1))
    expect(error).toMatchObject({
      code: 'no_adapter',
      message: 'The adapter "function" serves no batches.',
    })
  })

  it('counts among the calls that a turn may hold', async () => {
    const all = async (calls: readonly unknown[]) => calls.map(() => ({ data: 1 }))
    const gateway = gatewayWith(all, {}, { policy: { maxCallsPerTurn: 1 } })
    const toolCalls = [callOf(1, 'a'), callOf(1, 'b')]
    const { results } = await gateway.runTurn({ toolCalls })
    expect(results).toMatchObject([
      { callId: 'a', status: 'ok' },
      { callId: 'b', error: { code: 'rate_limited', rule: 'maxCallsPerTurn' } },
    ])
  })

  it('spends one of the limits of each of its tools, and is refused where that has none left', async () => {
    const sent: string[][] = []
    const all = async (calls: readonly { readonly tool: ToolDefinition }[]) => {
      sent.push(calls.map(({ tool }) => tool.name))
      return calls.map(() => ({ data: 1 }))
    }
    const gateway = gatewayWith(all)
    gateway.registry.add({
      namespace: 'connectors',
      name: 'rare',
      description: 'Says it rarely.',
      parameters: { type: 'object' },
      backend: { adapter: 'hub' },
      limits: { perHour: 2 },
    })
    const calls = ['say', 'rare', 'rare'].map((name) => ({
      name: `connectors__${name}`,
      arguments: {},
    }))
    const send = () => gateway.dispatch({ name: 'tool_call', arguments: { calls } })
    expect((await send()).data).toMatchObject({ success_count: 3 })
    expect((await send()).data).toMatchObject({ success_count: 3 })
    const refused = { error: { code: 'rate_limited' } }
    expect((await send()).data).toMatchObject({ results: [{ response: 1 }, refused, refused] })
    expect(sent).toEqual([['say', 'rare', 'rare'], ['say', 'rare', 'rare'], ['say']])
  })

  it('that is over the limit of its tool opens no circuit', async () => {
    const all = async (calls: readonly unknown[]) => calls.map(() => ({ data: 1 }))
    const times = new Set<() => void>()
    let now = 0
    const clock = {
      now: () => now,
      setTimeout(run: () => void) {
        times.add(run)
        return run
      },
      clearTimeout: (timer: unknown) => void times.delete(timer as () => void),
    }
    const gateway = gatewayWith(all, { limits: { perMinute: 1 } }, { ports: { clock } })
    expect((await gateway.dispatch(callOf(1))).data).toMatchObject({ success_count: 1 })
    const { data } = await gateway.dispatch(callOf(10))
    expect(data).toMatchObject({ error_count: 10 })
    expect(JSON.stringify(data)).toContain('rate_limited')
    now += 20_000
    expect(JSON.stringify((await gateway.dispatch(callOf(1))).data)).toContain('rate_limited')
    now += 41_000
    expect((await gateway.dispatch(callOf(1))).data).toMatchObject({ success_count: 1 })
  })
})

describe('a call of a turn that has an id and no name', () => {
  it('is answered under its id', async () => {
    const toolCalls = [
      { id: 'a', name: '', arguments: {} },
      { id: 'b', arguments: {} },
    ]
    const { results } = await createGateway().runTurn({ toolCalls } as unknown as AssistantTurn)
    expect(results).toMatchObject([
      { callId: 'a', status: 'error' },
      { callId: 'b', status: 'error' },
    ])
  })
})
