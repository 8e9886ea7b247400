import {
  createGateway,
  defineTool,
  type FunctionTool,
  type Gateway,
  type GatewayOptions,
} from '@callgate/core'
import { defineAdapter, ToolError, type ToolErrorInit } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock, type VirtualClock } from '../../src/virtual-clock.ts'

const never = new Promise<never>(() => {})

function tool(
  name: string,
  execute: () => unknown,
  more: Partial<FunctionTool> = {},
): FunctionTool {
  return defineTool({
    namespace: 'local',
    name,
    description: name,
    parameters: true,
    ...more,
    execute,
  } as never)
}

function gatewayOf(
  time: VirtualClock,
  tools: readonly FunctionTool[],
  more: Partial<GatewayOptions> = {},
): Gateway {
  return createGateway({ tools, ...more, ports: { clock: time.clock, random: { next: () => 0 } } })
}

function fault(
  code: ToolErrorInit['code'],
  started: ToolErrorInit['started'],
  more: object = {},
): ToolError {
  return new ToolError({ code, started, message: `${code} ${started}`, ...more })
}

const call = (name: string) => ({ name, arguments: {} })

describe('a timeout', () => {
  it('ends a call that hangs, tells the tool to stop, and says that the effect is not known', async () => {
    const time = createVirtualClock()
    let signal: AbortSignal | undefined
    const slow = tool('slow', () => never, { timeoutMs: 500 })
    const gateway = gatewayOf(time, [
      { ...slow, execute: (_, context) => ((signal = context.signal), never) },
    ])
    const result = await time.settle(gateway.dispatch(call('slow')))
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'timeout', status: 504 },
      metadata: { outcome: 'unknown' },
    })
    expect(result.metadata.durationMs).toBeLessThanOrEqual(1000)
    expect(signal?.aborted).toBe(true)
  })

  it('is bounded by the deadline of the call, retries included', async () => {
    const time = createVirtualClock()
    let attempts = 0
    const gateway = gatewayOf(time, [
      tool(
        't',
        () => {
          attempts++
          throw fault('backend_unavailable', 'no')
        },
        { retry: { maxRetries: 100, backoff: 'fixed', initialDelayMs: 300 } },
      ),
    ])
    const result = await time.settle(gateway.dispatch(call('t'), { deadlineMs: 1000 }))
    expect(result.metadata.durationMs).toBeLessThan(1000)
    expect(attempts).toBe(4)
  })
})

describe('a call that waits in line', () => {
  it('gives up at its deadline, unsent, and leaves the line', async () => {
    const time = createVirtualClock()
    let runs = 0
    const slow = (): Promise<void> => {
      runs++
      return new Promise((resolve) => void time.clock.setTimeout(resolve, 2000))
    }
    const gateway = gatewayOf(time, [tool('slow', slow, { limits: { concurrency: 1 } })])
    const first = gateway.dispatch(call('slow'))
    const second = gateway.dispatch(call('slow'), { deadlineMs: 300 })
    const third = gateway.dispatch(call('slow'))
    const late = await time.settle(second)
    expect(late).toMatchObject({ error: { code: 'timeout' }, metadata: { outcome: 'not_started' } })
    expect(late.metadata.durationMs).toBeLessThanOrEqual(310)
    expect((await time.settle(first)).status).toBe('ok')
    expect((await time.settle(third)).status).toBe('ok')
    expect(runs).toBe(2)
  })
})

describe('an adapter that never settles', () => {
  const silent = defineAdapter<object>({
    contract: 1,
    name: 'silent',
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: () => ({
      start: () => never,
      discover: () => never,
      health: () => never,
      stop: () => never,
      invoke: () => never,
    }),
  })

  it('holds up neither start, health nor close', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('works', () => 1)], { adapters: [silent({})] })
    await time.settle(gateway.start())
    const health = await time.settle(gateway.health())
    expect(health).toContainEqual(expect.objectContaining({ adapter: 'silent', state: 'down' }))
    expect((await time.settle(gateway.dispatch(call('works')))).status).toBe('ok')
    await time.settle(gateway.close())
  })
})

describe('a stop', () => {
  it('settles a turn soon although the tool ignores it, and says that the effect is not known (abt-01)', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('stuck', () => never), tool('next', () => 1)])
    const stop = new AbortController()
    const startedAt = time.clock.now()
    const run = gateway.runTurn(
      { toolCalls: [call('stuck'), call('next')] },
      { signal: stop.signal },
    )
    await expect.poll(() => true).toBe(true)
    stop.abort()
    const { results } = await time.settle(run)
    expect(time.clock.now() - startedAt).toBeLessThanOrEqual(100)
    expect(results).toMatchObject([
      { status: 'cancelled', error: { code: 'cancelled' }, metadata: { outcome: 'unknown' } },
      { status: 'cancelled', metadata: { outcome: 'not_started' } },
    ])
  })

  it('keeps the result of a tool that still ends in time', async () => {
    const time = createVirtualClock()
    const stop = new AbortController()
    const gateway = gatewayOf(time, [
      tool('t', () => {
        stop.abort()
        return Promise.resolve('done anyway')
      }),
    ])
    expect((await time.settle(gateway.dispatch(call('t'), { signal: stop.signal }))).data).toBe(
      'done anyway',
    )
  })

  it('of the gateway stops what runs, and nothing starts after it', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('stuck', () => never)])
    const running = gateway.dispatch(call('stuck'))
    await time.settle(gateway.close())
    expect((await running).status).toBe('cancelled')
    expect(await gateway.dispatch(call('stuck'))).toMatchObject({
      status: 'cancelled',
      metadata: { outcome: 'not_started' },
    })
  })
})

describe('retries', () => {
  async function attemptsOf(
    error: ToolError,
    more: Partial<FunctionTool> = {},
  ): Promise<{ attempts: number; waits: number[]; status: string }> {
    const time = createVirtualClock()
    const at: number[] = []
    const gateway = gatewayOf(time, [
      tool(
        't',
        () => {
          at.push(time.clock.now())
          if (at.length < 4) throw error
          return 'ok'
        },
        { retry: { maxRetries: 3, backoff: 'exponential', initialDelayMs: 100 }, ...more },
      ),
    ])
    const { status, metadata } = await time.settle(gateway.dispatch(call('t')))
    return {
      attempts: metadata.attempts,
      waits: at.slice(1).map((moment, index) => Math.round(moment - at[index]!)),
      status,
    }
  }

  it('come only where nothing ran, or where the tool says that twice does no harm', async () => {
    expect(await attemptsOf(fault('backend_unavailable', 'no'))).toEqual({
      attempts: 4,
      waits: [100, 200, 400],
      status: 'ok',
    })
    expect((await attemptsOf(fault('backend_error', 'yes'))).attempts).toBe(1)
    expect((await attemptsOf(fault('timeout', 'unknown'))).attempts).toBe(1)
    expect(
      (await attemptsOf(fault('timeout', 'unknown'), { effects: { idempotent: true } })).attempts,
    ).toBe(4)
    expect(
      (await attemptsOf(fault('backend_error', 'yes'), { effects: { readOnly: true } })).attempts,
    ).toBe(4)
  })

  it('never repeat what the tool itself answered, or what a guard refused', async () => {
    expect((await attemptsOf(fault('tool_failed', 'no'))).attempts).toBe(1)
    expect((await attemptsOf(fault('guard_refused', 'no'))).attempts).toBe(1)
  })

  it('wait fixed, linear or exponential, and as long as the backend asks', async () => {
    const retry = (backoff: 'fixed' | 'linear') => ({
      retry: { maxRetries: 3, backoff, initialDelayMs: 100 },
    })
    expect((await attemptsOf(fault('backend_unavailable', 'no'), retry('fixed'))).waits).toEqual([
      100, 100, 100,
    ])
    expect((await attemptsOf(fault('backend_unavailable', 'no'), retry('linear'))).waits).toEqual([
      100, 200, 300,
    ])
    expect((await attemptsOf(fault('rate_limited', 'no', { retryAfterMs: 1000 }))).waits).toEqual([
      1000, 1000, 1000,
    ])
  })

  it('are none where the backend asks for longer than an attempt may take; the failure says when', async () => {
    const time = createVirtualClock()
    let runs = 0
    const gateway = gatewayOf(time, [
      tool(
        't',
        () => {
          runs++
          throw fault('rate_limited', 'no', { retryAfterMs: 3_600_000 })
        },
        { retry: { maxRetries: 3, backoff: 'fixed', initialDelayMs: 1 } },
      ),
    ])
    const startedAt = time.clock.now()
    const { error } = await time.settle(gateway.dispatch(call('t')))
    expect({ runs, waited: time.clock.now() - startedAt }).toEqual({ runs: 1, waited: 0 })
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3_600_000,
      hint: expect.stringContaining('3600 s') as string,
    })
  })

  it('wait no longer than an attempt may take, however often it failed', async () => {
    const long = {
      retry: { maxRetries: 3, backoff: 'exponential', initialDelayMs: 20_000 },
    } as const
    expect((await attemptsOf(fault('backend_unavailable', 'no'), long)).waits).toEqual([
      20_000, 30_000, 30_000,
    ])
  })

  it('retry only the codes that a tool lists', async () => {
    const only = {
      retry: { maxRetries: 3, backoff: 'fixed', initialDelayMs: 1, retryable: ['timeout'] },
    } as const
    expect((await attemptsOf(fault('backend_unavailable', 'no'), only)).attempts).toBe(1)
    expect((await attemptsOf(fault('timeout', 'no'), only)).attempts).toBe(4)
  })
})

describe('the circuit breaker', () => {
  it('opens on faults of the backend, lets one call probe later, and closes again', async () => {
    const time = createVirtualClock()
    let healthy = false
    let runs = 0
    const gateway = gatewayOf(time, [
      tool('t', () => {
        runs++
        if (!healthy) throw fault('backend_error', 'yes')
        return 'ok'
      }),
    ])
    const codes: unknown[] = []
    for (let n = 0; n < 7; n++) codes.push((await gateway.dispatch(call('t'))).error?.code)
    expect(codes).toEqual([
      ...Array.from({ length: 5 }, () => 'backend_error'),
      'circuit_open',
      'circuit_open',
    ])
    expect(runs).toBe(5)
    await time.settle(new Promise<void>((resolve) => time.clock.setTimeout(resolve, 30_001)))
    healthy = true
    const probes = await Promise.all([1, 2].map(() => gateway.dispatch(call('t'))))
    expect(probes.map(({ status }) => status)).toContain('ok')
    expect((await gateway.dispatch(call('t'))).status).toBe('ok')
  })

  it('counts what a tool itself says neither as a fault nor as a success (bug-051)', async () => {
    const time = createVirtualClock()
    const answers = ['backend_error', 'tool_failed', 'guard_refused', 'backend_error'] as const
    let runs = 0
    const gateway = gatewayOf(time, [
      tool('t', () => {
        throw fault(answers[runs++ % answers.length]!, 'yes')
      }),
    ])
    const codes: unknown[] = []
    for (let n = 0; n < 12; n++) codes.push((await gateway.dispatch(call('t'))).error?.code)
    expect(runs).toBe(9)
    expect(codes.slice(9)).toEqual(['circuit_open', 'circuit_open', 'circuit_open'])
  })

  it('never opens because a tool itself says no (brk-01)', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [
      tool('t', () => {
        throw new Error('not found')
      }),
    ])
    for (let n = 0; n < 20; n++)
      expect((await gateway.dispatch(call('t'))).error?.code).toBe('tool_failed')
  })
})

describe('limits', () => {
  it('hold over any window of a minute, and say when to try again', async () => {
    const time = createVirtualClock()
    const gateway = gatewayOf(time, [tool('t', () => 1, { limits: { perMinute: 2 } })])
    const status = async () => (await gateway.dispatch(call('t'))).error?.code ?? 'ok'
    const wait = (ms: number) =>
      time.settle(new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms)))
    expect([await status(), await status(), await status()]).toEqual(['ok', 'ok', 'rate_limited'])
    await wait(30_000)
    const { error } = await gateway.dispatch(call('t'))
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      rule: 'perMinute',
      retryAfterMs: 30_000,
    })
    await wait(30_001)
    expect([await status(), await status(), await status()]).toEqual(['ok', 'ok', 'rate_limited'])
  })

  it('of concurrency make calls wait their turn, and let a stopped one go', async () => {
    let running = 0
    let most = 0
    const gateway = createGateway({
      tools: [
        tool(
          't',
          async () => {
            most = Math.max(most, ++running)
            await new Promise((resolve) => setImmediate(resolve))
            running--
          },
          { limits: { concurrency: 2 } },
        ),
      ],
    })
    const stop = new AbortController()
    const calls = Array.from({ length: 6 }, (_, n) =>
      gateway.dispatch(call('t'), n === 5 ? { signal: stop.signal } : {}),
    )
    stop.abort()
    const results = await Promise.all(calls)
    expect(most).toBe(2)
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'cancelled'])
  })

  it('refuse what would wait behind a thousand others', async () => {
    let finish: () => void = () => {}
    const gate = new Promise<void>((resolve) => (finish = resolve))
    const gateway = createGateway({
      tools: [tool('t', () => gate, { limits: { concurrency: 1 } })],
    })
    const calls = Array.from({ length: 1002 }, () => gateway.dispatch(call('t')))
    const last = await calls.at(-1)!
    expect(last.error).toMatchObject({ code: 'overloaded', status: 503, retryable: true })
    finish()
    expect((await Promise.all(calls)).filter(({ status }) => status === 'ok')).toHaveLength(1001)
  })
})

describe('a fallback', () => {
  const local = (error: ToolError, more: Partial<FunctionTool> = {}) =>
    tool(
      'local_search',
      () => {
        throw error
      },
      { fallback: ['local::remote_search', 'local::last'], effects: { readOnly: true }, ...more },
    )
  const remote = tool('remote_search', () => 'from afar')

  it('answers in place of a tool whose backend is at fault, and the result says so', async () => {
    const gateway = createGateway({ tools: [local(fault('backend_unavailable', 'no')), remote] })
    const result = await gateway.dispatch({ id: 'c', name: 'local_search', arguments: {} })
    expect(result).toMatchObject({
      callId: 'c',
      tool: 'local::local_search',
      status: 'ok',
      data: 'from afar',
      metadata: { answeredBy: 'local::remote_search' },
    })
  })

  it('does not answer for a tool that ran and said no, nor repeat what may have happened', async () => {
    const ask = async (tools: readonly FunctionTool[]) =>
      (await createGateway({ tools }).dispatch(call('local_search'))).error?.code
    expect(await ask([local(fault('tool_failed', 'yes')), remote])).toBe('tool_failed')
    expect(await ask([local(fault('backend_error', 'unknown'), { effects: {} }), remote])).toBe(
      'outcome_unknown',
    )
  })

  it('answers while the circuit is open, and where the adapter is not there', async () => {
    const open = createGateway({ tools: [local(fault('backend_unavailable', 'no')), remote] })
    for (let n = 0; n < 8; n++) {
      expect((await open.dispatch({ name: 'local_search', arguments: { n } })).data).toBe(
        'from afar',
      )
    }
    const homeless = {
      namespace: 'a',
      name: 'b',
      description: 'c',
      parameters: true,
      backend: { adapter: 'redis' },
      fallback: ['local::remote_search'],
    }
    const gateway = createGateway({ tools: [homeless, remote] })
    expect((await gateway.dispatch(call('a::b'))).metadata.answeredBy).toBe('local::remote_search')
  })

  it('gets round no refusal', async () => {
    let ran = false
    const tools = [local(fault('guard_refused', 'no')), tool('remote_search', () => (ran = true))]
    const result = await createGateway({ tools }).dispatch(call('local_search'))
    expect(result).toMatchObject({ status: 'denied', error: { code: 'guard_refused' } })
    expect(ran).toBe(false)
  })

  it("that fails too leaves the first error, and is in nobody's way when it does not exist", async () => {
    const gateway = createGateway({ tools: [local(fault('backend_unavailable', 'no'))] })
    expect(await gateway.dispatch(call('local_search'))).toMatchObject({
      tool: 'local::local_search',
      error: { code: 'backend_unavailable' },
    })
  })
})

describe('the same failing call', () => {
  it('is told from the second failure, refused after the third, and free again with other arguments', async () => {
    const gateway = createGateway({
      tools: [
        defineTool({
          namespace: 'local',
          name: 't',
          description: 't',
          parameters: { type: 'object' },
          execute: ({ ok }) => {
            if (ok !== true) throw new Error('no')
            return 'yes'
          },
        }),
      ],
    })
    const ask = (args: object) =>
      gateway.dispatch({ name: 't', arguments: args }, { sessionId: 's' })
    expect((await ask({ a: 1 })).error?.hint).toBeUndefined()
    expect((await ask({ a: 1 })).error?.hint).toMatch(/failed 2 times in a row/)
    await ask({ a: 1 })
    expect((await ask({ a: 1 })).error).toMatchObject({ code: 'repeated_failure', status: 429 })
    expect((await ask({ a: 2 })).error?.code).toBe('tool_failed')
    expect((await ask({ ok: true })).status).toBe('ok')
    const other = await gateway.dispatch({ name: 't', arguments: { a: 1 } }, { sessionId: 'other' })
    expect(other.error?.code).toBe('tool_failed')
  })
})

describe('a model that runs in circles', () => {
  const echo = tool('echo', () => 'the same')
  const ask = (gateway: Gateway, name: string, args: object) =>
    gateway.dispatch({ name, arguments: args }, { sessionId: 's' })

  it('is told from the third equal call on, whatever the order of keys (lop-01)', async () => {
    const gateway = createGateway({ tools: [echo] })
    const notices: unknown[] = []
    for (const args of [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1, b: 2 },
    ]) {
      notices.push((await ask(gateway, 'echo', args)).metadata.notice)
    }
    expect(notices).toEqual([undefined, undefined, expect.stringContaining('number 3')])
    expect((await ask(gateway, 'echo', { a: 1, b: 3 })).metadata.notice).toBeUndefined()
    expect(
      (await gateway.dispatch({ name: 'echo', arguments: { a: 1, b: 2 } })).metadata.notice,
    ).toBeUndefined()
  })

  it('is told in a cycle of several calls too', async () => {
    const gateway = createGateway({ tools: [echo] })
    let last: string | undefined
    for (let round = 0; round < 3; round++) {
      for (const step of [1, 2, 3, 4]) last = (await ask(gateway, 'echo', { step })).metadata.notice
    }
    expect(last).toContain('number 3')
  })
})

describe('health checks', () => {
  it('hold calls back after so many failures in a row, until the backend is well again', async () => {
    const time = createVirtualClock()
    let state: 'ok' | 'down' = 'ok'
    let runs = 0
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'srv',
      capabilities: { health: true, isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({
        invoke: async () => ({ data: ++runs }),
        health: async () => ({ state, reason: 'the disk is full' }),
      }),
    })
    const gateway = createGateway({
      tools: [
        {
          namespace: 'srv',
          name: 't',
          description: 't',
          parameters: true,
          backend: { adapter: 'srv' },
          healthCheck: { intervalMs: 1000, timeoutMs: 100, unhealthyThreshold: 2 },
        },
      ],
      adapters: [adapter({})],
      ports: { clock: time.clock },
    })
    await gateway.start()
    const ask = async () => (await gateway.dispatch({ name: 'srv__t', arguments: {} })).error
    await time.advance(1000)
    expect(await ask()).toBeUndefined()
    state = 'down'
    await time.advance(2000)
    expect(await ask()).toMatchObject({ code: 'backend_unavailable' })
    expect((await gateway.health())[0]).toMatchObject({
      adapter: 'srv',
      state: 'down',
      reason: 'the disk is full',
    })
    expect(runs).toBe(1)
    state = 'ok'
    await time.advance(1000)
    expect(await ask()).toBeUndefined()
    await gateway.close()
  })
})
