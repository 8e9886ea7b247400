import { describe, expect, it } from 'vitest'

import { scratchFile, withFake } from './fake.ts'
import { stubHost, until } from './host.ts'

const byName = async (running: Awaited<ReturnType<typeof withFake>>) =>
  Object.fromEntries((await running.tools()).map((tool) => [tool.name, tool]))

describe('the tools of a server', () => {
  it('come as definitions with the server as namespace and the raw name', async () => {
    const running = await withFake('plain', { deferred: false })
    const tools = await byName(running)
    expect(tools['echo']).toEqual({
      namespace: 's',
      name: 'echo',
      description: 'The tool echo',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      effects: {},
      timeoutMs: 900_000,
      backend: { adapter: 'mcp', server: 's', tool: 'echo' },
      deferred: false,
      metadata: { server: 's', serverName: 'fake', serverVersion: '1.0.0' },
    })
  })

  it('come from every page (first-page-only)', async () => {
    const running = await withFake('pages')
    const names = (await running.tools()).map((tool) => tool.name)
    expect(names).toEqual(['t0', 't1', 't2', 't3', 't4'])
  })

  it('end where a cursor comes back (cursor-loop)', async () => {
    const running = await withFake('cursor-loop')
    expect((await running.tools()).map((tool) => tool.name)).toEqual(['one'])
  })

  it('are read one by one: a bad one is repaired or left out, the others stay (bad-tool-poisons-list)', async () => {
    const host = stubHost()
    const running = await withFake('bad-tools', {}, { host })
    const tools = await byName(running)
    expect(Object.keys(tools)).toEqual([
      'good',
      'null-schema',
      'no-type',
      'null-required',
      'string-hints',
      'dangling',
      'root-union',
    ])
    expect(tools['null-schema']?.parameters).toEqual({ type: 'object' })
    expect(tools['no-type']?.parameters).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
    })
    expect(tools['null-required']?.parameters).toEqual({ type: 'object', properties: {} })
    const left = host.lines.filter((line) => line.message === 'mcp: a tool is left out')
    expect(left.map((line) => line.fields['reason'])).toEqual([
      'the input schema is for "string", not for an object',
      'no usable name',
      'not an object',
    ])
    expect(host.lines.some((line) => line.message === 'mcp: a tool is listed twice')).toBe(true)
  })

  it('keep an output schema whose $ref leads nowhere, without the $ref (dangling-ref)', async () => {
    const tools = await byName(await withFake('bad-tools'))
    expect(tools['dangling']?.outputs).toEqual({ type: 'object', properties: { n: {} } })
    expect(tools['dangling']?.metadata?.['notes']).toEqual(['unresolvable $ref #/$defs/Nope'])
  })

  it('keep references into their own schema, in whatever way they are written', async () => {
    const tools = await byName(await withFake('references'))
    expect(tools['refs']?.metadata?.['notes']).toEqual([
      'unresolvable $ref https://elsewhere.test/schema',
      'unresolvable $ref #/$defs/%zz',
    ])
    expect(tools['deep']).toBeUndefined()
  })

  it('keep a union at the root of their schema for the gateway to merge (root-union)', async () => {
    const tools = await byName(await withFake('bad-tools'))
    expect(tools['root-union']?.parameters).toMatchObject({ type: 'object', oneOf: [{}, {}] })
  })

  it('say nothing of effects on the word of a server that is not trusted, but for harm', async () => {
    const tools = await byName(await withFake('hints'))
    expect(tools['reads']?.effects).toEqual({})
    expect(tools['deletes']?.effects).toEqual({ destructive: true })
  })

  it('have the effects that a trusted server claims', async () => {
    const tools = await byName(await withFake('hints', { trust: true }))
    expect(tools['reads']?.effects).toEqual({
      readOnly: true,
      idempotent: true,
      concurrency: 'parallel',
    })
  })

  it('show no hidden characters in descriptions and schemas (hidden-unicode)', async () => {
    const tools = await byName(await withFake('hidden'))
    expect(tools['dirty']?.description).toBe('Reads a file.')
    expect(tools['dirty']?.parameters).toMatchObject({
      properties: { p: { description: 'Reads a file.' } },
    })
    expect(tools['emoji']?.description).toBe('Family 👨‍👩‍👧, flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿, Persian می‌خواهم, heart ❤️.')
  })

  it('are none, without a question, where the server offers none (list-on-unadvertised)', async () => {
    const running = await withFake('no-tools')
    expect(await running.tools()).toEqual([])
    expect((await running.call('s.seen')).data).not.toContain('tools/list')
  })

  it('are asked for by nothing but tools/list (list-on-unadvertised)', async () => {
    const running = await withFake('tools-only')
    expect((await running.call('s.seen')).data).toBe(
      'initialize notifications/initialized tools/list tools/call',
    )
  })
})

describe('a limit as long as a timer can be', () => {
  it('makes no tool whose limit is longer', async () => {
    const running = await withFake('plain', { timeoutMs: 2_147_483_647 })
    expect((await running.tools())[0]?.timeoutMs).toBe(2_147_483_647)
  })
})

describe('a changed list', () => {
  it('is read again and reported to the host (list-changed-ignored)', async () => {
    const host = stubHost()
    const running = await withFake('changes', {}, { host })
    await running.tools()
    await running.call('s.grow')
    await until(() => host.changes === 1)
    expect((await running.tools()).map((tool) => tool.name)).toContain('new-6')
  })

  it('announced many times without a change is read a few times and reported never', async () => {
    const host = stubHost()
    const running = await withFake('changes', {}, { host })
    await running.call('s.storm')
    const lists = async (): Promise<number> => {
      const { data } = await running.call('s.seen')
      return (JSON.parse(String(data)) as { method?: string }[]).filter(
        ({ method }) => method === 'tools/list',
      ).length
    }
    await until(async () => (await lists()) >= 2)
    // On a busy machine the fifty come in more than one go.
    expect(await lists()).toBeLessThanOrEqual(4)
    expect(host.changes).toBe(0)
  })

  it('announced in answer to each listing slows down instead of spinning', async () => {
    const running = await withFake('change-loop')
    const first = performance.now()
    await until(async () => Number((await running.call('s.lists')).data) >= 5)
    // 50 + 100 + 200 + 400 ms before the fifth, part of which may have passed during the start.
    expect(performance.now() - first).toBeGreaterThan(400)
  })

  it('is taken afresh from a server that was started again (list-changed-after-reconnect)', async () => {
    const host = stubHost()
    const running = await withFake(
      'changes-on-restart',
      { restart: { initialMs: 1 } },
      { host, file: scratchFile() },
    )
    expect((await running.tools()).map((tool) => tool.name)).toEqual(['first', 'die'])
    await running.call('s.die').catch(() => undefined)
    await running.call('s.seen')
    await until(() => host.changes === 1)
    expect((await running.tools()).map((tool) => tool.name)).toEqual(['second', 'die'])
  })
})
