import { createGateway } from '@callgate/core'
import {
  defineAdapter,
  type AdapterHost,
  type AdapterInstance,
  type BoundAdapter,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'
import { never } from './support.ts'

function adapterOf(
  name: string,
  make: (host: AdapterHost) => Partial<AdapterInstance>,
): BoundAdapter {
  return defineAdapter<object>({
    contract: 1,
    name,
    capabilities: { isolation: 'none' },
    configSchema: { type: 'object' },
    create: (_, host) => ({ invoke: async () => ({ data: name }), ...make(host) }),
  })({})
}

const listed = { name: 't', description: 'd', parameters: { type: 'object' } } as never

describe('an adapter that never comes up', () => {
  it.each(['start', 'discover'] as const)(
    'holds the start of the gateway for its time limit: %s',
    async (what) => {
      const time = createVirtualClock()
      const gateway = createGateway({
        adapters: [
          adapterOf('stuck', () => ({ [what]: () => never })),
          adapterOf('good', () => ({ discover: async () => [listed] })),
        ],
        ports: { clock: time.clock },
      })
      const before = time.clock.now()
      await time.settle(gateway.start())
      expect(time.clock.now() - before).toBe(what === 'start' ? 180_000 : 60_000)
      const [stuck] = await gateway.health()
      expect(stuck).toMatchObject({ reason: expect.stringMatching(/took longer than \d+ ms/) })
      expect((await gateway.dispatch({ name: 'good__t', arguments: {} })).data).toBe('good')
      await time.settle(gateway.close())
    },
  )

  it('is put away when it comes up after the gateway was closed', async () => {
    const time = createVirtualClock()
    let up = (): void => {}
    const started = new Promise<void>((resolve) => {
      up = resolve
    })
    let stops = 0
    const gateway = createGateway({
      adapters: [
        adapterOf('slow', () => ({ start: () => started, stop: async () => void stops++ })),
      ],
      ports: { clock: time.clock },
    })
    const starting = gateway.start()
    await time.settle(gateway.close())
    up()
    await time.settle(starting)
    expect(stops).toBe(2)
    expect(await gateway.health()).toMatchObject([{ state: 'not started' }])
  })
})

describe('an adapter whose gateway is closed', () => {
  it('is asked for its health no more, though it was still being listed', async () => {
    const time = createVirtualClock()
    let asked = 0
    let list = (): void => {}
    const listing = new Promise<never[]>((resolve) => {
      list = () => resolve([])
    })
    const adapter = adapterOf('slow', () => ({
      discover: () => listing,
      health: async () => {
        asked++
        return { state: 'down' }
      },
    }))
    const healthCheck = { intervalMs: 1000, timeoutMs: 500, unhealthyThreshold: 1 }
    const tool = {
      ...(listed as object),
      namespace: 'local',
      backend: { adapter: 'slow' },
      healthCheck,
    }
    const gateway = createGateway({
      adapters: [adapter],
      tools: [tool as never],
      ports: { clock: time.clock },
    })
    const starting = gateway.start()
    await time.advance(0)
    await time.settle(gateway.close())
    list()
    await time.settle(starting)
    await time.advance(60_000)
    expect(asked).toBe(0)
  })
})

describe('an adapter that refuses a declared tool too late', () => {
  it('is logged, and ends no program', async () => {
    const errors: string[] = []
    const quiet = (): void => {}
    createGateway({
      adapters: [
        adapterOf('late', () => ({
          accept: (async () => Promise.reject(new Error('no'))) as never,
        })),
      ],
      tools: [{ ...(listed as object), namespace: 'local', backend: { adapter: 'late' } } as never],
      log: {
        debug: quiet,
        info: quiet,
        warn: quiet,
        error: (message) => void errors.push(message),
      },
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual(['adapter "late" refused a tool too late'])
  })
})

describe('an adapter that tells of a change whenever it is listed', () => {
  it('is listed a few times in a row, and again later, so that nothing is lost', async () => {
    const time = createVirtualClock()
    let lists = 0
    const gateway = createGateway({
      adapters: [
        adapterOf('busy', (host) => ({
          discover: async () => {
            lists++
            host.toolsChanged()
            return [listed]
          },
        })),
      ],
      ports: { clock: time.clock },
    })
    await gateway.start()
    expect(lists).toBe(3)
    expect((await gateway.dispatch({ name: 'busy__t', arguments: {} })).data).toBe('busy')
    await time.advance(1000)
    expect(lists).toBe(6)
    await time.settle(gateway.close())
    await time.advance(10_000)
    expect(lists).toBe(6)
  })
})
