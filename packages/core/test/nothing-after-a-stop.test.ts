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

describe('a stop', () => {
  it('that comes shortly before the timeout of a tool leaves it no more time', async () => {
    const timers = new Map<number, { readonly run: () => void; readonly ms: number }>()
    const clock = {
      now: () => 0,
      setTimeout: (run: () => void, ms: number) => timers.set(timers.size, { run, ms }).size - 1,
      clearTimeout: (timer: unknown) => void timers.set(timer as number, { run: () => {}, ms: 0 }),
    }
    const gateway = gatewayOf([tool('slow', () => new Promise(() => {}))], {
      ports: { clock },
      policy: { timeoutMs: 1000 },
    })
    const stop = new AbortController()
    const running = gateway.dispatch({ name: 'slow', arguments: {} }, { signal: stop.signal })
    await expect.poll(() => [...timers.values()].map(({ ms }) => ms)).toEqual([1000])
    stop.abort()
    expect([...timers.values()].map(({ ms }) => ms)).toEqual([0, 50])
    timers.get(1)!.run()
    expect((await running).error?.code).toBe('cancelled')
  })
})

describe('a deadline that is weeks away', () => {
  it('is no reason to refuse a call that waits for its place', async () => {
    const waits: number[] = []
    const clock = {
      now: () => performance.now(),
      setTimeout(run: () => void, ms: number) {
        waits.push(ms)
        return setTimeout(run, ms)
      },
      clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
    }
    const first = latch()
    const slow = tool('slow', () => first.opened, { limits: { concurrency: 1 } })
    const gateway = gatewayOf([slow], { ports: { clock } })
    const context = { deadlineMs: Number.MAX_SAFE_INTEGER }
    const ask = () => gateway.dispatch({ name: 'slow', arguments: {} }, context)
    const both = Promise.all([ask(), ask()])
    first.open()
    expect((await both).map(({ status }) => status)).toEqual(['ok', 'ok'])
    expect(Math.max(...waits)).toBeLessThan(2 ** 31)
  })
})
