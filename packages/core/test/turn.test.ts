import { createHookBus } from '@callgate/hooks'
import type { AssistantTurn, CallgateEvents, ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

const parallel = { effects: { readOnly: true } } as const

function turnOf(...calls: { id?: unknown; name: string; arguments?: unknown }[]): AssistantTurn {
  return { toolCalls: calls.map((call) => ({ arguments: {}, ...call })) }
}

describe('a turn', () => {
  it('gives one result per call, in call order, whatever a sibling does (par-01)', async () => {
    const gateway = gatewayOf([
      tool('a', () => ({ v: 1 }), parallel),
      tool('b', () => ({ v: 2 }), parallel),
      tool(
        'c',
        () => {
          throw new Error('boom')
        },
        parallel,
      ),
    ])
    const { results } = await gateway.runTurn(
      turnOf({ id: 'k1', name: 'a' }, { id: 'k2', name: 'b' }, { id: 'k3', name: 'c' }),
    )
    expect(results.map(({ callId, status }) => [callId, status])).toEqual([
      ['k1', 'ok'],
      ['k2', 'ok'],
      ['k3', 'error'],
    ])
  })

  it('keeps call order when the last call finishes first', async () => {
    const order: string[] = []
    const gate: Record<string, () => void> = {}
    const wait = (name: string) => () =>
      new Promise((resolve) => {
        gate[name] = () => {
          order.push(name)
          resolve(name)
        }
      })
    const gateway = gatewayOf([
      tool('a', wait('a'), parallel),
      tool('b', wait('b'), parallel),
      tool('c', wait('c'), parallel),
    ])
    const stored: string[] = []
    const run = gateway.runTurn(
      turnOf({ id: '1', name: 'a' }, { id: '2', name: 'b' }, { id: '3', name: 'c' }),
      {
        onResult: ({ callId }) => void stored.push(callId),
      },
    )
    await expect.poll(() => Object.keys(gate).length).toBe(3)
    for (const name of ['c', 'b', 'a']) gate[name]!()
    const { results } = await run
    expect(order).toEqual(['c', 'b', 'a'])
    expect(results.map(({ data }) => data)).toEqual(['a', 'b', 'c'])
    expect(stored).toEqual(['1', '2', '3'])
  })

  it('starts parallel calls together, also with a hook that says no to nothing (par-03)', async () => {
    let running = 0
    let most = 0
    const slow = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
    }
    const gateway = gatewayOf(['x', 'y', 'z'].map((name) => tool(name, slow, parallel)))
    await gateway.runTurn(turnOf({ name: 'x' }, { name: 'y' }, { name: 'z' }))
    expect(most).toBe(3)
  })

  it('runs a tool that declares nothing alone', async () => {
    let running = 0
    let most = 0
    const slow = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
    }
    await gatewayOf([tool('x', slow)]).runTurn(turnOf({ name: 'x' }, { name: 'x' }, { name: 'x' }))
    expect(most).toBe(1)
  })

  it('runs no more calls at once than the policy says', async () => {
    let running = 0
    let most = 0
    const slow = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
    }
    const gateway = gatewayOf([tool('x', slow, parallel)], { policy: { turnConcurrency: 2 } })
    const { results } = await gateway.runTurn(
      turnOf(...Array.from({ length: 9 }, () => ({ name: 'x' }))),
    )
    expect(most).toBe(2)
    expect(results).toHaveLength(9)
  })

  it('answers the surplus over its limit, each call by itself (par-05)', async () => {
    const gateway = gatewayOf([tool('x', () => 1)], { policy: { maxCallsPerTurn: 3 } })
    const { results } = await gateway.runTurn(
      turnOf(...['k1', 'k2', 'k3', 'k4', 'k5'].map((id) => ({ id, name: 'x' }))),
    )
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'error', 'error'])
    expect(results[3]?.error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('3') as string,
    })
  })

  it('gives calls with one id ids of their own, and a result each (his-01)', async () => {
    const gateway = gatewayOf([tool('a', (args) => args)])
    const { turn, results } = await gateway.runTurn(
      turnOf(
        { id: 'd1', name: 'a', arguments: { n: 1 } },
        { id: 'd1', name: 'a', arguments: { n: 2 } },
      ),
    )
    expect(turn.toolCalls.map(({ id }) => id)).toEqual(['d1', 'd1_d2'])
    expect(results.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('is stored once, expanded, before any call starts (brg-01)', async () => {
    const log: string[] = []
    const gateway = gatewayOf([
      tool('search', () => void log.push('ran'), { namespace: 'mcp::tix' }),
    ])
    const calls = ['A', 'B'].map((q) => ({ name: 'mcp::tix::search', arguments: { q } }))
    const { turn, results } = await gateway.runTurn(
      turnOf({ id: 'b1', name: 'tool_call', arguments: { calls } }),
      {
        onExpanded: async (stored) => {
          await Promise.resolve()
          log.push(`stored ${stored.toolCalls.length}`)
        },
      },
    )
    expect(log).toEqual(['stored 2', 'ran', 'ran'])
    expect(turn.toolCalls).toHaveLength(2)
    expect(turn.toolCalls.every(({ name }) => name === 'tool_call')).toBe(true)
    expect(results.map(({ callId, parentCallId }) => [callId, parentCallId])).toEqual([
      ['b1', undefined],
      [expect.stringMatching(/^call_[0-9a-f]{12}$/), 'b1'],
    ])
  })

  it('with two batches of one id tells each entry which of them it is of (R2.3)', async () => {
    const gateway = gatewayOf([tool('a', () => 1)])
    const batch = (...numbers: number[]) => ({
      id: 'x',
      name: 'tool_call',
      arguments: { calls: numbers.map((n) => ({ name: 'a', arguments: { n } })) },
    })
    const { results } = await gateway.runTurn(turnOf(batch(1, 2), batch(3, 4)))
    expect(results.map(({ callId, parentCallId }) => [callId, parentCallId])).toEqual([
      ['x', undefined],
      [expect.stringMatching(/^call_/), 'x'],
      ['x_d2', undefined],
      [expect.stringMatching(/^call_/), 'x_d2'],
    ])
  })

  it('tells hooks of each batch once, with the ids of its entries in order', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const batches: unknown[] = []
    const entries: unknown[] = []
    hooks.on('batch_expanded', (payload) => void batches.push(payload))
    hooks.on('pre_tool_call', ({ callId, parentCallId, batchIndex, batchSize }) => {
      entries.push([callId, parentCallId, batchIndex, batchSize])
    })
    const gateway = gatewayOf([tool('a', () => 1)], { hooks })
    const batch = (id: string, size: number) => ({
      id,
      name: 'tool_call',
      arguments: {
        calls: Array.from({ length: size }, (_, n) => ({ name: 'a', arguments: { n } })),
      },
    })
    const { turn } = await gateway.runTurn(
      turnOf(batch('x', 3), { id: 'single', name: 'a' }, batch('one', 1), batch('y', 2)),
    )
    await hooks.idle()
    const ids = turn.toolCalls.map(({ id }) => id)
    expect(batches).toEqual([
      { parentCallId: 'x', callIds: ids.slice(0, 3) },
      { parentCallId: 'y', callIds: ids.slice(5) },
    ])
    expect(entries).toEqual([
      ['x', undefined, 0, 3],
      [ids[1], 'x', 1, 3],
      [ids[2], 'x', 2, 3],
      ['single', undefined, undefined, undefined],
      ['one', undefined, undefined, undefined],
      ['y', undefined, 0, 2],
      [ids[6], 'y', 1, 2],
    ])
  })

  it('with a batch of which entries cannot be read answers those and runs the others, where the policy says so', async () => {
    const calls = [
      { name: 'a', arguments: { n: 1 } },
      7,
      { arguments: {} },
      { name: 'a', arguments: "{'n': 2,}" },
    ]
    const given = turnOf({ id: 'x', name: 'tool_call', arguments: JSON.stringify({ calls }) })
    const run = async (splitFaultyBatches: boolean) => {
      const gateway = gatewayOf([tool('a', (args) => args)], { policy: { splitFaultyBatches } })
      const { results } = await gateway.runTurn(given)
      return results.map(({ data, error }) => error?.code ?? data)
    }
    expect(await run(true)).toEqual([{ n: 1 }, 'malformed_call', 'malformed_call', { n: 2 }])
    expect(await run(false)).toEqual(['malformed_call'])
  })

  it.each([
    ['{"calls":[{"name":"a","arguments":{"n":1e400}}]}', 'not_json', 'no JSON at character 44'],
    ['{"calls":[{"name":"a","arguments":{"n":1}', 'truncated', 'ends too early at character 41'],
    [
      '{"calls":"[{\\"name\\":\\"a\\",\\"arguments\\":{\\"n\\":1e400}}]"}',
      'entries',
      '`calls` is not a list',
    ],
    [
      '{"calls":[{"name":"a"},{"name":"a","arguments":"{\\"n\\":1e400}"}]}',
      'entries',
      'calls[1]: the arguments',
    ],
    ['[{"name":"a"}]', 'entries', 'not a JSON object'],
  ])(
    'with the tool_call %s runs nothing and says where it cannot be read',
    async (text, rule, said) => {
      const gateway = gatewayOf([tool('a', () => 'ran')])
      const { results } = await gateway.runTurn(turnOf({ name: 'tool_call', arguments: text }))
      const error = { code: 'malformed_call', rule, message: expect.stringContaining(said) }
      expect(results).toMatchObject([{ status: 'error', error }])
    },
  )

  it.each([
    '{"n":12345678901234567890,"__proto__":{"admin":true}}',
    '{"n":"12345678901234567890"}',
  ])('keeps every digit of a list of calls that is text, and no prototype: %s', async (own) => {
    const gateway = gatewayOf([tool('a', (args) => args)])
    const calls = `[{"name":"a","arguments":${own}}]`
    const { results } = await gateway.runTurn(
      turnOf({ name: 'tool_call', arguments: JSON.stringify({ calls }) }),
    )
    expect(results.map(({ data }) => data)).toEqual([{ n: '12345678901234567890' }])
  })

  it('answers the same call twice as often as it was made', async () => {
    let runs = 0
    const gateway = gatewayOf([tool('a', () => ++runs)])
    const { results } = await gateway.runTurn(
      turnOf({ id: '1', name: 'a' }, { id: '2', name: 'a' }, { id: '1', name: 'a' }),
    )
    expect(results.map(({ callId, data }) => [callId, data])).toEqual([
      ['1', 1],
      ['2', 2],
      ['1_d2', 3],
    ])
  })

  it('runs nothing when it could not be stored, and still answers every call', async () => {
    let ran = false
    const gateway = gatewayOf([tool('a', () => (ran = true))])
    const { results } = await gateway.runTurn(turnOf({ name: 'a' }, { name: 'a' }), {
      onExpanded: () => Promise.reject(new Error('disk full')),
    })
    expect(ran).toBe(false)
    expect(results.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  it('starts no further call when a result could not be stored', async () => {
    let runs = 0
    const gateway = gatewayOf([tool('a', () => ++runs)])
    const { results } = await gateway.runTurn(turnOf({ name: 'a' }, { name: 'a' }), {
      onResult: () => {
        throw new Error('disk full')
      },
    })
    expect(runs).toBe(1)
    expect(results.map(({ status }) => status)).toEqual(['ok', 'cancelled'])
  })

  it('names an unknown tool and runs its neighbour (unk-01)', async () => {
    const gateway = gatewayOf([tool('read_file', () => 'text')])
    const { results } = await gateway.runTurn(
      turnOf({ id: 'k1', name: 'local::raed_file' }, { id: 'k2', name: 'local::read_file' }),
    )
    expect(results[0]?.error).toMatchObject({
      code: 'tool_not_found',
      status: 404,
      hint: expect.stringContaining('local::read_file') as string,
    })
    expect(results[1]?.status).toBe('ok')
  })

  it('never rejects, whatever it holds', async () => {
    const gateway = gatewayOf([tool('a', () => 1)])
    for (const toolCalls of [
      [null],
      [7],
      [{}],
      [{ name: 'a' }],
      [{ name: 'tool_call', arguments: '{' }],
    ]) {
      const { results } = await gateway.runTurn({ toolCalls } as unknown as AssistantTurn)
      expect(results).toHaveLength(1)
      expect(results[0]?.callId).not.toBe('')
    }
  })

  it('is linear: a turn of 1,000 calls gives 1,000 results in order', async () => {
    const gateway = gatewayOf([tool('a', (args) => (args as { n: number }).n, parallel)])
    const { results } = await gateway.runTurn(
      turnOf(
        ...Array.from({ length: 1000 }, (_, n) => ({ id: `c${n}`, name: 'a', arguments: { n } })),
      ),
    )
    expect(results.map(({ data }: ToolResult) => data)).toEqual(
      Array.from({ length: 1000 }, (_, n) => n),
    )
  })
})
