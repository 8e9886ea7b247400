import { defineAdapter, type Ports, type ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway, type Gateway } from '../src/index.ts'

const healthCheck = { intervalMs: 2, timeoutMs: 500, unhealthyThreshold: 1 }

const read: ToolDefinition = {
  namespace: 'own',
  name: 'read',
  description: 'Reads.',
  parameters: { type: 'object' },
  backend: { adapter: 'own' },
}

function backend(answer?: unknown): { gateway: Gateway; fail: () => void; asked: () => number } {
  let state: 'ok' | 'down' = 'ok'
  let asked = 0
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'own',
    capabilities: { isolation: 'none', health: true },
    configSchema: {},
    create: () => ({
      health: () => {
        asked++
        return Promise.resolve(answer === undefined ? { state } : answer) as never
      },
      invoke: () => Promise.resolve({ data: 'ran' }),
    }),
  })({})
  const fail = (): void => void (state = 'down')
  const gateway = createGateway({ adapters: [adapter], tools: [read] })
  return { gateway, fail, asked: () => asked }
}

const code = async (gateway: Gateway): Promise<string | undefined> =>
  (await gateway.dispatch({ name: 'own__read', arguments: {} })).error?.code

it('an adapter that says nothing of its capabilities leaves the health of the rest to be told', async () => {
  const of = (name: string, capabilities: unknown) =>
    defineAdapter<object>({
      contract: 1,
      name,
      capabilities: capabilities as object,
      configSchema: {},
      create: () => ({ invoke: () => Promise.resolve({}) }),
    })({})
  const gateway = createGateway({ adapters: [of('a', undefined), of('b', { isolation: 'none' })] })
  await gateway.start()
  expect(await gateway.health()).toMatchObject([
    { adapter: 'a', isolation: 'unknown', state: 'ok' },
    { adapter: 'b', isolation: 'none', state: 'ok' },
  ])
  await gateway.close()
})

it('the answer of an adapter says how it is, and nothing of its isolation', async () => {
  const { gateway } = backend({ state: 'ok', adapter: 'other', isolation: 'sandbox' })
  await gateway.start()
  expect(await gateway.health()).toEqual([{ adapter: 'own', isolation: 'none', state: 'ok' }])
  await gateway.close()
})

describe('health checks', () => {
  it('that are answered with nothing find the backend well, as its health is told', async () => {
    const { gateway, asked } = backend(null)
    gateway.registry.add({ ...read, healthCheck })
    await gateway.start()
    await expect.poll(asked).toBeGreaterThan(2)
    expect(await code(gateway)).toBeUndefined()
    expect(await gateway.health()).toMatchObject([{ state: 'ok' }])
    await gateway.close()
  })

  it('begin with a tool that asks for them after the start, and end with it', async () => {
    const { gateway, fail } = backend()
    await gateway.start()
    fail()
    expect(await code(gateway)).toBeUndefined()
    gateway.registry.add({ ...read, healthCheck })
    await expect.poll(() => code(gateway)).toBe('backend_unavailable')
    gateway.registry.add(read)
    await expect.poll(() => code(gateway)).toBeUndefined()
    gateway.registry.add({ ...read, healthCheck })
    await expect.poll(() => code(gateway)).toBe('backend_unavailable')
    await gateway.close()
  })

  it('come at the shortest interval, also where a tool that wants a longer one came first', async () => {
    const waits = new Set<{ readonly ms: number }>()
    const clock: Ports['clock'] = {
      now: () => 0,
      setTimeout(_run, ms) {
        const wait = { ms }
        waits.add(wait)
        return wait
      },
      clearTimeout: (wait) => void waits.delete(wait as never),
    }
    const every = (name: string, intervalMs: number): ToolDefinition => ({
      ...read,
      name,
      healthCheck: { ...healthCheck, intervalMs },
    })
    const adapter = defineAdapter<object>({
      contract: 1,
      name: 'own',
      capabilities: { isolation: 'none', health: true },
      configSchema: {},
      create: () => ({
        discover: () => Promise.resolve([every('hourly', 3_600_000), every('often', 1000)]),
        health: () => Promise.resolve({ state: 'ok' }),
        invoke: () => Promise.resolve({}),
      }),
    })({})
    const gateway = createGateway({ adapters: [adapter], ports: { clock } })
    const inMs = (): readonly number[] => [...waits].map(({ ms }) => ms)
    await gateway.start()
    expect(inMs()).toEqual([1000])
    gateway.registry.add(every('seldom', 5000))
    expect(inMs()).toEqual([1000])
    gateway.registry.add(every('more', 500))
    expect(inMs()).toEqual([500])
    await gateway.close()
    expect(inMs()).toEqual([])
  })
})
