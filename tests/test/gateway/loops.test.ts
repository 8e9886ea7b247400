import { createGateway, defineTool, type FunctionTool, type Gateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import { ToolError, type CallContext, type CallgateEvents, type ToolResult } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'

function tool(
  name: string,
  execute: (args: { readonly [key: string]: unknown }) => unknown,
  more: Partial<FunctionTool> = {},
): FunctionTool {
  return defineTool({
    namespace: 'local',
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object' },
    ...more,
    execute,
  } as Parameters<typeof defineTool>[0])
}

const readOnly = { effects: { readOnly: true } } as const
const fails = (): never => {
  throw new Error('the disk is full')
}

function caller(gateway: Gateway, context: CallContext = { sessionId: 's' }) {
  return (name: string, args: object = {}): Promise<ToolResult> =>
    gateway.dispatch({ name, arguments: args }, context)
}

async function codes(count: number, ask: () => Promise<ToolResult>): Promise<readonly string[]> {
  const seen: string[] = []
  for (let n = 0; n < count; n++) seen.push((await ask()).error?.code ?? 'ok')
  return seen
}

const ok = (count: number): readonly string[] => Array.from({ length: count }, () => 'ok')

describe('equal calls in a row', () => {
  it('that bring nothing new are refused from the sixth on, with a reason', async () => {
    let ran = 0
    const ask = caller(createGateway({ tools: [tool('read', () => (ran++, 'same'), readOnly)] }))
    expect(await codes(5, () => ask('read', { a: 1, b: 2 }))).toEqual(ok(5))
    expect(await ask('read', { b: 2, a: 1 })).toMatchObject({
      status: 'denied',
      error: {
        code: 'repeated_failure',
        rule: 'no-progress',
        message: expect.stringMatching(/called 5 times in a row.*nothing new/) as string,
      },
      metadata: { outcome: 'not_started' },
    })
    expect(ran).toBe(5)
    expect((await ask('read', { a: 2 })).status).toBe('ok')
  })

  it('are refused later though a time stamp changes in the answer (lop-01)', async () => {
    let now = 0
    const ask = caller(createGateway({ tools: [tool('read', () => `at ${now++}`, readOnly)] }))
    expect((await codes(12, () => ask('read'))).slice(8)).toEqual([
      'ok',
      'ok',
      'repeated_failure',
      'repeated_failure',
    ])
  })

  it('of one turn are no loop: the model had seen no answer', async () => {
    const gateway = createGateway({ tools: [tool('add', () => 'added'), tool('fails', fails)] })
    const context = { sessionId: 's' }
    for (let turn = 0; turn < 2; turn++) {
      const toolCalls = Array.from({ length: 12 }, (_, n) => ({
        id: `c${n}`,
        name: n < 6 ? 'add' : 'fails',
        arguments: {},
      }))
      const { results } = await gateway.runTurn({ toolCalls }, context)
      expect(results.map(({ error }) => error?.code ?? 'ok')).toEqual([
        ...ok(6),
        ...Array.from({ length: 6 }, () => 'tool_failed'),
      ])
    }
  })

  it('that were stopped are none of the model', async () => {
    const gateway = createGateway({ tools: [tool('slow', () => new Promise(() => {}), readOnly)] })
    for (let n = 0; n < 8; n++) {
      const stop = new AbortController()
      const running = gateway.dispatch(
        { name: 'slow', arguments: {} },
        { sessionId: 's', signal: stop.signal },
      )
      stop.abort()
      expect((await running).status).toBe('cancelled')
    }
  })

  it('go on where the tool says that it polls', async () => {
    const effects = { readOnly: true, polls: true }
    const ask = caller(createGateway({ tools: [tool('job', () => 'runs', { effects })] }))
    expect(await codes(20, () => ask('job'))).toEqual(ok(20))
  })

  it('are free again once something new was done, and after ten minutes', async () => {
    const time = createVirtualClock()
    const gateway = createGateway({
      tools: [tool('test', () => 'red', readOnly), tool('edit', () => 'saved')],
      ports: { clock: time.clock },
    })
    const ask = caller(gateway)
    for (let round = 0; round < 4; round++) {
      expect(await codes(3, () => ask('test'))).toEqual(ok(3))
      expect((await ask('edit', { round })).status).toBe('ok')
    }
    expect((await codes(6, () => ask('test'))).at(-1)).toBe('repeated_failure')
    await time.advance(600_001)
    expect((await ask('test')).status).toBe('ok')
  })

  it('for another task are no round of the last one', async () => {
    const gateway = createGateway({
      tools: [tool('status', () => 'clean', readOnly), tool('t', fails)],
    })
    const codesOf = (task: string, name: string, count: number) =>
      codes(count, () => caller(gateway, { sessionId: 's', task })(name))
    expect((await codesOf('first', 'status', 6)).at(-1)).toBe('repeated_failure')
    expect(await codesOf('second', 'status', 5)).toEqual(ok(5))
    expect((await codesOf('second', 't', 4)).at(-1)).toBe('repeated_failure')
    expect(await codesOf('third', 't', 3)).toEqual(['tool_failed', 'tool_failed', 'tool_failed'])
  })

  it('that hooks and tools make are not the doing of the model', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const seen = new Set<string>()
    hooks.on('pre_tool_call', async (payload) => {
      if (payload.tool !== 'local::work') return
      seen.add((await payload.call({ name: 'policy', arguments: {} })).status)
    })
    const gateway = createGateway({
      tools: [tool('work', () => 1, readOnly), tool('policy', fails, readOnly)],
      hooks,
    })
    const ask = caller(gateway)
    for (let n = 0; n < 8; n++) await ask('work', { n })
    expect([...seen]).toEqual(['error'])
  })
})

describe('calls that go round', () => {
  it.each([2, 3, 4])('in a cycle of %i are refused after five rounds', async (period) => {
    const gateway = createGateway({ tools: [tool('write', ({ step }) => `wrote ${String(step)}`)] })
    const ask = caller(gateway)
    const seen: string[] = []
    for (let round = 0; round < 7; round++) {
      for (let step = 0; step < period; step++) {
        seen.push((await ask('write', { step })).error?.rule ?? 'ok')
      }
    }
    expect(seen.slice(0, 5 * period)).toEqual(ok(5 * period))
    expect(seen.at(-1)).toBe('no-progress')
  })
})

describe('the same failing call', () => {
  it('is tried again once its time has come, and once after each wait', async () => {
    const time = createVirtualClock()
    const busy = (): never => {
      throw new ToolError({
        code: 'rate_limited',
        message: 'busy',
        started: 'no',
        retryAfterMs: 5000,
      })
    }
    const ask = caller(createGateway({ tools: [tool('t', busy)], ports: { clock: time.clock } }))
    expect(await codes(3, () => ask('t'))).toEqual(['rate_limited', 'rate_limited', 'rate_limited'])
    expect((await ask('t')).error).toMatchObject({ code: 'repeated_failure', retryAfterMs: 5000 })
    await time.advance(5001)
    expect(await codes(2, () => ask('t'))).toEqual(['rate_limited', 'repeated_failure'])
  })

  it('is free again once something new was done', async () => {
    let red = true
    const gateway = createGateway({
      tools: [tool('test', () => (red ? fails() : 'green')), tool('edit', () => 'saved')],
    })
    const ask = caller(gateway)
    expect((await codes(4, () => ask('test'))).at(-1)).toBe('repeated_failure')
    await ask('edit', { line: 7 })
    red = false
    expect((await ask('test')).status).toBe('ok')
  })

  it('that a human refused three times is not put to them again', async () => {
    let asked = 0
    const gateway = createGateway({
      tools: [tool('send', () => 1, { confirm: true })],
      approver: async () => (asked++, { decision: 'deny' }),
    })
    const ask = caller(gateway)
    expect((await codes(5, () => ask('send'))).slice(2)).toEqual([
      'approval_denied',
      'repeated_failure',
      'repeated_failure',
    ])
    expect(asked).toBe(3)
  })
})

describe('a tool that fails twice in a row', () => {
  it('is told with what failed before and with other tools that the caller may use (R10.2)', async () => {
    const gateway = createGateway({
      tools: [
        tool('read_local_file', fails, {
          description: 'Reads a file of the disk.',
          permissions: { tags: ['a'] },
        }),
        tool('file_service', () => 1, {
          description: 'Reads a file from the file service.',
          permissions: { tags: ['a'] },
        }),
        tool('secret_file', () => 1, {
          description: 'Reads a file nobody may see.',
          permissions: { tags: ['b'] },
        }),
      ],
      policy: { roles: { default: { tagsAllow: ['a'] } } },
    })
    const ask = caller(gateway)
    expect((await ask('read_local_file', { path: '/a' })).error?.hint).toBeUndefined()
    const hint = (await ask('read_local_file', { path: '/b', token: 'hush' })).error?.hint ?? ''
    expect(hint).toContain('failed 2 times in a row')
    expect(hint).toContain('{"path":"/a"} gave tool_failed: the disk is full')
    expect(hint).toContain('file_service')
    expect(hint).not.toContain('secret_file')
    const third = (await ask('read_local_file', { path: '/c' })).error?.hint ?? ''
    expect(third).toContain('"/b"')
    expect(third).not.toContain('hush')
  })
})

describe('a task', () => {
  const tools = ['a', 'b', 'c', 'd'].map((name) => tool(name, fails))
  const failing = async (gateway: Gateway, name: string, n: number, context: CallContext) => {
    const turn = { toolCalls: [{ id: `${name}${n}`, name, arguments: { n } }] }
    return (await gateway.runTurn(turn, context)).results[0]!
  }

  it('may be planned anew twice; when the third plan has failed too, its calls are refused with the reason', async () => {
    const gateway = createGateway({ tools: [...tools, tool('other', () => 1)] })
    const context = { sessionId: 's', task: 'move the files' }
    for (const name of ['a', 'b', 'c']) {
      for (const n of [1, 2]) {
        expect((await failing(gateway, name, n, context)).error?.code).toBe('tool_failed')
      }
    }
    const { results } = await gateway.runTurn(
      {
        toolCalls: [
          { id: '1', name: 'd', arguments: {} },
          { id: '2', name: 'connectors__x', arguments: {} },
          { id: '3', name: 'tool_call', arguments: { calls: [{ name: 'connectors__x' }] } },
        ],
      },
      context,
    )
    expect(results.map(({ callId, error }) => [callId, error?.code, error?.rule])).toEqual(
      ['1', '2', '3'].map((id) => [id, 'repeated_failure', 'replans']),
    )
    expect(results[0]!.error!.message).toMatch(/3 plans did not work.*local::c: the disk is full/)
    expect((await failing(gateway, 'other', 1, context)).error?.rule).toBe('replans')
    const next = await failing(gateway, 'other', 1, { sessionId: 's', task: 'something else' })
    expect(next.status).toBe('ok')
  })

  it('goes on for as long as something gets done, however much fails', async () => {
    const gateway = createGateway({ tools: [...tools, tool('works', () => 1)] })
    const context = { sessionId: 's', task: 't' }
    for (let n = 0; n < 20; n++) {
      expect((await failing(gateway, 'a', n, context)).error?.code).toBe('tool_failed')
      expect((await failing(gateway, 'works', n, context)).status).toBe('ok')
    }
  })

  it('that only reads goes on while what failed works again', async () => {
    let works = false
    const fetch = tool('fetch', () => (works ? 'page' : fails()), readOnly)
    const gateway = createGateway({ tools: [fetch, tool('look', () => 1, readOnly)] })
    const context = { sessionId: 's', task: 'find out' }
    for (let n = 0; n < 30; n++) {
      works = n % 3 === 2
      const { status, error } = await failing(gateway, 'fetch', n, context)
      expect(error?.code ?? status).toBe(works ? 'ok' : 'tool_failed')
    }
  })

  it('takes looking up for no progress, and as many plans as the policy says', async () => {
    const gateway = createGateway({
      tools: [...tools, tool('look', () => 1, readOnly)],
      policy: { maxReplans: 0 },
    })
    const context = { sessionId: 's', task: 't' }
    await failing(gateway, 'a', 1, context)
    await failing(gateway, 'look', 1, context)
    await failing(gateway, 'a', 2, context)
    expect((await failing(gateway, 'look', 2, context)).error?.rule).toBe('replans')
  })

  it('goes on where a tool that only reads fails now and then, never twice in a row', async () => {
    const read = tool('read', ({ n }) => ((n as number) < 0 ? fails() : n), readOnly)
    const gateway = createGateway({ tools: [read], policy: { maxReplans: 0 } })
    const context = { sessionId: 's', task: 'read it all' }
    for (let round = 1; round < 6; round++) {
      expect((await failing(gateway, 'read', -round, context)).error?.code).toBe('tool_failed')
      expect((await failing(gateway, 'read', round, context)).status).toBe('ok')
    }
  })

  it('that nobody named is the session: one turn is refused, then the count begins again', async () => {
    const gateway = createGateway({ tools, policy: { maxReplans: 0 } })
    const context = { sessionId: 's' }
    for (const n of [1, 2]) await failing(gateway, 'a', n, context)
    expect((await failing(gateway, 'b', 1, context)).error?.rule).toBe('replans')
    expect((await failing(gateway, 'b', 1, context)).error?.code).toBe('tool_failed')
  })
})
