import { createGateway, type FunctionTool } from '@callgate/core'
import { defineAdapter, type ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'
import { call, fault, tool } from './support.ts'

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

describe('health checks', () => {
  it('come at their interval, however often the gateway was started', async () => {
    const time = createVirtualClock()
    let asked = 0
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'srv',
      capabilities: { health: true, isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({
        invoke: async () => ({}),
        health: async () => (asked++, { state: 'ok' }),
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
    await gateway.dispatch({ name: 'srv__t', arguments: {} })
    await gateway.start()
    await gateway.start()
    await time.advance(3000)
    expect(asked).toBe(3)
    await gateway.close()
  })

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
