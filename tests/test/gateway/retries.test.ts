import { type FunctionTool, createGateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import { defineAdapter, type CallgateEvents, type ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'
import { call, fault, gatewayOf, tool } from './support.ts'

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

  it('are as long as the tool declares, however short its attempts are', async () => {
    const declared = {
      timeoutMs: 100,
      retry: { maxRetries: 3, backoff: 'fixed', initialDelayMs: 60_000 },
    } as const
    expect((await attemptsOf(fault('backend_unavailable', 'no'), declared)).waits).toEqual([
      60_000, 60_000, 60_000,
    ])
    const asked = fault('rate_limited', 'no', { retryAfterMs: 5000 })
    const short = { ...declared, retry: { ...declared.retry, initialDelayMs: 1 } }
    expect((await attemptsOf(asked, short)).waits).toEqual([5000, 5000, 5000])
  })

  it('retry only the codes that a tool lists', async () => {
    const only = {
      retry: { maxRetries: 3, backoff: 'fixed', initialDelayMs: 1, retryable: ['timeout'] },
    } as const
    expect((await attemptsOf(fault('backend_unavailable', 'no'), only)).attempts).toBe(1)
    expect((await attemptsOf(fault('timeout', 'no'), only)).attempts).toBe(4)
  })
})

describe('the key by which a backend knows a call again', () => {
  it('is one for the attempts of a call, and another for every other call, whatever id its provider gave', async () => {
    const time = createVirtualClock()
    const keys: string[] = []
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'web',
      capabilities: { idempotencyKey: true, isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({
        async invoke({ idempotencyKey }) {
          keys.push(idempotencyKey)
          throw fault('backend_unavailable', 'no')
        },
      }),
    })
    const gateway = createGateway({
      adapters: [adapter({})],
      tools: [
        {
          namespace: 'web',
          name: 't',
          description: 't',
          parameters: true,
          backend: { adapter: 'web' },
          retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 1 },
        },
      ],
      ports: { clock: time.clock },
    })
    for (const sessionId of ['one', 'other']) {
      await time.settle(
        gateway.dispatch({ id: 'call_0', name: 'web::t', arguments: {} }, { sessionId }),
      )
    }
    expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]])
    expect(keys[0]).not.toBe(keys[2])
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

  it('gives its one probe to no call whose time is over before it runs', async () => {
    const time = createVirtualClock()
    const pass = (ms: number): Promise<void> =>
      new Promise((resolve) => time.clock.setTimeout(resolve, ms))
    let healthy = false
    let hold = 0
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => (hold > 0 ? pass(hold) : undefined))
    const flaky = tool('t', () => {
      if (!healthy) throw fault('backend_error', 'yes')
      return 'ok'
    })
    const gateway = gatewayOf(time, [flaky], { hooks })
    for (let n = 0; n < 5; n++) await gateway.dispatch(call('t'))
    await time.settle(pass(30_001))
    healthy = true
    hold = 100
    const late = await time.settle(gateway.dispatch(call('t'), { deadlineMs: 50 }))
    expect(late).toMatchObject({ status: 'error', metadata: { outcome: 'not_started' } })
    hold = 0
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
