import { createHookBus } from '@callgate/hooks'
import {
  defineAdapter,
  type AdapterInstance,
  type BoundAdapter,
  type CallgateEvents,
  type Ports,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'

const own = {
  name: 'read',
  description: 'Reads.',
  parameters: { type: 'object' },
  backend: { adapter: 'own' },
}

/** Time that stands still: what is set to run later is run by the test. */
function stillClock(): { readonly clock: Ports['clock']; readonly timers: Set<Timer> } {
  const timers = new Set<Timer>()
  const clock: Ports['clock'] = {
    now: () => 0,
    setTimeout(run, ms) {
      const timer: Timer = {
        ms,
        run() {
          timers.delete(timer)
          run()
        },
      }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer as Timer),
  }
  return { clock, timers }
}

interface Timer {
  readonly ms: number
  readonly run: () => void
}

function adapterOf(instance: Partial<AdapterInstance>): {
  readonly adapter: BoundAdapter
  readonly changed: () => void
} {
  let changed = (): void => {}
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'own',
    capabilities: { isolation: 'none' },
    configSchema: {},
    create(_, host) {
      changed = () => host.toolsChanged()
      return { invoke: () => Promise.resolve({ data: 'ran' }), ...instance }
    },
  })({})
  return { adapter, changed: () => changed() }
}

describe.each(['start', 'discover'] as const)('an adapter whose %s fails', (what) => {
  it('is tried again by itself until its tools are there, and that it failed is told once', async () => {
    let there = false
    let asked = 0
    const { adapter } = adapterOf({
      async start() {
        if (what === 'start') fail()
      },
      async discover() {
        if (what === 'discover') fail()
        return [own]
      },
    })
    const fail = (): void => {
      asked++
      if (!there) throw new Error('no route')
    }
    const { clock, timers } = stillClock()
    const hooks = createHookBus<CallgateEvents>()
    const heard: string[] = []
    hooks.on('adapter_down', ({ reason }) => void heard.push(`down: ${reason}`))
    hooks.on('adapter_up', () => void heard.push('up'))
    const errors: string[] = []
    const error = (message: string): void => void errors.push(message)
    const gateway = createGateway({
      adapters: [adapter],
      hooks,
      ports: { clock },
      log: { debug() {}, info() {}, warn() {}, error },
    })
    await gateway.start()
    for (const more of [1, 2]) {
      expect(asked).toBe(more)
      await expect.poll(() => [...timers].map(({ ms }) => ms)).toEqual([30_000])
      ;[...timers][0]!.run()
      await expect.poll(() => asked).toBe(more + 1)
    }
    await expect.poll(() => [...timers].map(({ ms }) => ms)).toEqual([30_000])
    expect(gateway.registry.list()).toEqual([])
    there = true
    ;[...timers][0]!.run()
    await expect.poll(() => gateway.registry.list().map(({ name }) => name)).toEqual(['read'])
    expect((await gateway.dispatch({ name: 'own__read', arguments: {} })).data).toBe('ran')
    expect(await gateway.health()).toMatchObject([{ adapter: 'own', state: 'ok' }])
    await hooks.idle()
    expect(heard).toEqual(what === 'start' ? ['down: no route', 'up'] : ['up'])
    expect(errors).toHaveLength(1)
    expect([...timers]).toEqual([])
    await gateway.close()
  })

  it('is left alone once the gateway is closed', async () => {
    const { adapter } = adapterOf({
      [what]: () => Promise.reject(new Error('no route')),
    })
    const { clock, timers } = stillClock()
    const gateway = createGateway({ adapters: [adapter], ports: { clock } })
    await gateway.start()
    expect(timers.size).toBe(1)
    await gateway.close()
    expect([...timers]).toEqual([])
  })
})

it('an adapter whose list changes whenever it is listed leaves no timer behind', async () => {
  let listed = 0
  const { adapter, changed } = adapterOf({
    async discover() {
      listed++
      changed()
      return []
    },
  })
  const { clock, timers } = stillClock()
  const gateway = createGateway({ adapters: [adapter], ports: { clock } })
  await gateway.start()
  changed()
  await expect.poll(() => listed).toBe(6)
  await expect.poll(() => [...timers].map(({ ms }) => ms)).toEqual([1000])
  await gateway.close()
  expect([...timers]).toEqual([])
})

it('an adapter that a call starts before the gateway is started is tried again by calls alone', async () => {
  const { adapter } = adapterOf({ start: () => Promise.reject(new Error('no route')) })
  const { clock, timers } = stillClock()
  const gateway = createGateway({
    adapters: [adapter],
    tools: [{ ...own, namespace: 'own' }],
    ports: { clock },
  })
  const { error } = await gateway.dispatch({ name: 'own__read', arguments: {} })
  expect(error?.code).toBe('backend_unavailable')
  expect([...timers]).toEqual([])
  await gateway.close()
})

it('an adapter that is still starting lets a call run once it is up, and not only when its tools are listed', async () => {
  const up = Promise.withResolvers<void>()
  let starts = 0
  const { adapter } = adapterOf({
    start() {
      starts++
      return up.promise
    },
    discover: () => new Promise<never>(() => {}),
  })
  const gateway = createGateway({ adapters: [adapter], tools: [{ ...own, namespace: 'own' }] })
  const starting = gateway.start()
  const calls = [1, 2].map((n) => gateway.dispatch({ name: 'own__read', arguments: { n } }))
  up.resolve()
  expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(['ran', 'ran'])
  expect(starts).toBe(1)
  await gateway.close()
  await starting
})
