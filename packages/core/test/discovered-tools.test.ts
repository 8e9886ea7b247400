import { defineAdapter, type BoundAdapter } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createGateway } from '../src/index.ts'

const good = {
  name: 'good',
  description: 'Does good.',
  parameters: { type: 'object' },
  backend: { adapter: 'x' },
}

function found(listing: () => unknown): { adapter: BoundAdapter; changed: () => void } {
  let changed = (): void => {}
  const adapter = defineAdapter<object>({
    contract: 1,
    name: 'own',
    capabilities: { isolation: 'none' },
    configSchema: {},
    create: (_, host) => {
      changed = () => host.toolsChanged()
      return {
        discover: () => Promise.resolve(listing() as never),
        invoke: () => Promise.resolve({ data: 'ran' }),
        health: () => Promise.resolve({ state: 'ok', servers: ['one'] } as const),
      }
    },
  })({})
  return { adapter, changed: () => changed() }
}

const bad: readonly [entry: unknown, named: string, reason: RegExp][] = [
  [null, 'number 1', /A tool is null/],
  [undefined, 'number 1', /A tool is missing/],
  [5, 'number 1', /A tool is 5/],
  [{}, 'number 1', /The name of a tool is missing/],
  [{ ...good, name: 7 }, 'number 1', /The name of a tool is 7/],
  [{ ...good, name: 'b', namespace: 7 }, 'b', /The namespace of a tool is 7/],
  [{ ...good, name: 'b', description: undefined }, 'b', /description of own::b/],
  [{ ...good, name: 'b', parameters: { type: 'strnig' } }, 'b', /strnig/],
  [{ ...good, name: 'b', backend: 'x' }, 'b', /names no adapter/],
  [{ ...good, name: 'b', confirm: 'true' }, 'b', /confirm is "true"; expected true or false/],
  [{ ...good, name: 'b', effects: { destructiv: true } }, 'b', /effects\.destructiv is unknown/],
  [{ ...good, name: 'b', limits: { concurrency: 0 } }, 'b', /limits\.concurrency is 0/],
]

describe('a discovered tool that does not fit', () => {
  it.each(bad)(
    'is left out, logged and told, and the others are kept: %j',
    async (entry, named, reason) => {
      const warned: string[] = []
      const { adapter } = found(() => [entry, good])
      const gateway = createGateway({
        adapters: [adapter],
        log: {
          debug() {},
          info() {},
          error() {},
          warn: (message, fields) => void warned.push(message, JSON.stringify(fields)),
        },
      })
      await gateway.start()
      expect(gateway.registry.list().map(({ name }) => name)).toEqual(['good'])
      expect((await gateway.dispatch({ name: 'own__good', arguments: {} })).data).toBe('ran')
      const [message, fields] = warned
      expect(message).toBe(`tool ${named} of "own" is left out`)
      expect((JSON.parse(fields!) as { reason: string }).reason).toMatch(reason)
      const [health] = await gateway.health()
      // What the adapter tells of itself stands beside it.
      expect(health).toMatchObject({ adapter: 'own', state: 'degraded', servers: ['one'] })
      expect(health?.reason).toMatch(reason)
      await gateway.close()
    },
  )

  it('is left out where it is listed twice, and the first is kept', async () => {
    const { adapter, changed } = found(() => [good, { ...good, description: 'Does evil.' }])
    const gateway = createGateway({ adapters: [adapter] })
    const events: string[] = []
    gateway.registry.on('changed', (id) => events.push(id))
    await gateway.start()
    changed()
    await new Promise((resolve) => setImmediate(resolve))
    expect(gateway.registry.list().map(({ description }) => description)).toEqual(['Does good.'])
    expect(events).toEqual([])
    expect((await gateway.health())[0]?.reason).toContain('good (listed twice)')
    await gateway.close()
  })

  it('is none where the program declares the same, whose it stays', async () => {
    let list: unknown[] = [good]
    const { adapter, changed } = found(() => list)
    const declared = { ...good, namespace: 'own', backend: { adapter: 'own' } } as never
    const gateway = createGateway({ adapters: [adapter], tools: [declared] })
    await gateway.start()
    expect((await gateway.health())[0]?.state).toBe('ok')
    list = []
    changed()
    await new Promise((resolve) => setImmediate(resolve))
    expect(gateway.registry.list().map(({ name }) => name)).toEqual(['good'])
    await gateway.close()
  })

  it('that the program took out and put its own in the place of leaves that one alone', async () => {
    let listed = 0
    const { adapter, changed } = found(() => (listed++, [good]))
    const gateway = createGateway({ adapters: [adapter] })
    await gateway.start()
    gateway.registry.remove('own::good')
    const own = { ...good, namespace: 'own', description: 'Does better.', execute: () => 'own' }
    gateway.registry.add(own)
    changed()
    await expect.poll(() => listed).toBe(2)
    await expect.poll(async () => (await gateway.health())[0]?.state).toBe('degraded')
    expect(gateway.registry.get('own::good')?.description).toBe('Does better.')
    await gateway.close()
  })

  it('is taken out when it was a right one before, and health is ok when it is again', async () => {
    let confirm: unknown = true
    const { adapter, changed } = found(() => [{ ...good, confirm }])
    const gateway = createGateway({ adapters: [adapter] })
    await gateway.start()
    expect(gateway.registry.get('own::good')?.confirm).toBe(true)
    confirm = 'true'
    changed()
    await expect.poll(() => gateway.registry.get('own::good')).toBeUndefined()
    confirm = true
    changed()
    await expect.poll(() => gateway.registry.get('own::good')?.confirm).toBe(true)
    expect((await gateway.health())[0]?.state).toBe('ok')
    await gateway.close()
  })

  it('is one of many: health names the first of them and counts the rest', async () => {
    const { adapter } = found(() => Array.from({ length: 5 }, () => null))
    const gateway = createGateway({ adapters: [adapter] })
    await gateway.start()
    expect((await gateway.health())[0]?.reason).toMatch(/number 3 .* and 2 more$/)
    await gateway.close()
  })
})

describe('a listing that is none', () => {
  it.each([null, {}, 'tools'])('keeps the tools there are, and is told: %j', async (none) => {
    let listing: unknown = [good]
    const { adapter, changed } = found(() => listing)
    const gateway = createGateway({ adapters: [adapter] })
    await gateway.start()
    listing = none
    changed()
    await expect.poll(async () => (await gateway.health())[0]?.state).toBe('degraded')
    expect((await gateway.health())[0]?.reason).toMatch(
      /could not be listed: discover gave no list/,
    )
    expect(gateway.registry.get('own::good')).toBeDefined()
    await gateway.close()
  })
})
