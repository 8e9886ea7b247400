import { createHookBus } from '@callgate/hooks'
import { defineAdapter, type AdapterInstance, type CallgateEvents } from '@callgate/spec'
import { describe, expect, it, vi } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

interface Latch {
  readonly opened: Promise<void>
  open(): void
}

function latch(): Latch {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('after a call has its answer', () => {
  it('a hook that goes on late starts no tool, also when the gateway is closed', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const late = latch()
    let refusal: unknown
    const tried = latch()
    hooks.on('tool_execution', async ({ next }) => {
      await late.opened
      try {
        return await next()
      } catch (error) {
        refusal = error
        throw error
      } finally {
        tried.open()
      }
    })
    const run = vi.fn<() => number>(() => 1)
    const gateway = gatewayOf([tool('rm', run)], { hooks })
    const stop = new AbortController()
    const running = gateway.dispatch({ name: 'rm', arguments: {} }, { signal: stop.signal })
    stop.abort()
    expect((await running).status).toBe('cancelled')
    await gateway.close()
    late.open()
    await tried.opened
    expect(refusal).toMatchObject({ code: 'cancelled' })
    expect(run).not.toHaveBeenCalled()
  })

  it('a hook that goes on after its tool took too long starts no tool', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const late = latch()
    const tried = latch()
    hooks.on('tool_execution', async ({ next }) => {
      await late.opened
      tried.open()
      return next()
    })
    const run = vi.fn<() => number>(() => 1)
    const gateway = gatewayOf([tool('rm', run, { timeoutMs: 10 })], { hooks })
    const result = await gateway.dispatch({ name: 'rm', arguments: {} })
    expect(result.error?.code).toBe('timeout')
    late.open()
    await tried.opened
    await gateway.close()
    expect(run).not.toHaveBeenCalled()
  })

  it('an adapter that comes up late is not asked', async () => {
    const up = latch()
    const invoke = vi.fn<AdapterInstance['invoke']>(async () => ({ data: 1 }))
    const slow = defineAdapter<object>({
      contract: 1,
      name: 'slow',
      capabilities: { isolation: 'none' },
      configSchema: { type: 'object' },
      create: () => ({ start: () => up.opened, invoke }),
    })
    const gateway = gatewayOf(
      [
        {
          namespace: 'local',
          name: 'rm',
          description: 'd',
          parameters: true,
          backend: { adapter: 'slow' },
        },
      ],
      { adapters: [slow({})] },
    )
    const stop = new AbortController()
    const running = gateway.dispatch({ name: 'rm', arguments: {} }, { signal: stop.signal })
    stop.abort()
    expect((await running).status).toBe('cancelled')
    up.open()
    await gateway.start()
    expect(invoke).not.toHaveBeenCalled()
  })
})
