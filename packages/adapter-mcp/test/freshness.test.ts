import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { fileToolCache, type HttpServer } from '../src/index.ts'
import { turnableClock } from './clock.ts'
import { scratchFile } from './fake.ts'
import {
  type FakeHttp,
  modern,
  type Mode,
  refuse,
  result,
  startFakeHttp,
  stream,
} from './fixtures/fake-http.ts'
import { start, stubHost, until } from './host.ts'
import { connected, methodsOf } from './http.ts'

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } })

/** Lists of two pages, each with what it says about its life. */
const pages =
  (...hints: readonly [object, object]): Mode =>
  (exchange) => {
    const { method, params } = exchange.body as { method?: string; params?: { cursor?: string } }
    if (method !== 'tools/list') return undefined
    const second = params?.cursor !== undefined
    return result(exchange, {
      resultType: 'complete',
      tools: second ? exchange.server.tools : [tool('first')],
      ...hints[second ? 1 : 0],
      ...(second ? {} : { nextCursor: 'more' }),
    })
  }

const lists = (fake: FakeHttp): number =>
  methodsOf(fake).filter((method) => method === 'tools/list').length

describe('a list that says how long it holds', () => {
  it('is read again after the shortest time of its pages (tools-cache-scope)', async () => {
    const host = stubHost()
    const hints = [
      { ttlMs: 1e12, cacheScope: 'public' },
      { ttlMs: 1000, cacheScope: 'public' },
    ] as const
    const turn = turnableClock()
    const { tools, fake } = await connected([pages(...hints), modern], {}, host)
    expect((await tools()).map(({ name }) => name)).toEqual(['first', 'echo'])
    fake.tools = [tool('other') as FakeHttp['tools'][number]]
    await turn(1000)
    await until(() => host.changes === 1)
    expect((await tools()).map(({ name }) => name)).toEqual(['first', 'other'])
  })

  it.each([{ ttlMs: 0 }, { ttlMs: -1 }, {}, { ttlMs: 1e12 }, { ttlMs: 'soon' }])(
    'is not polled for %j (tools-cache-scope)',
    async (hint) => {
      const turn = turnableClock()
      const { fake } = await connected([pages(hint, hint), modern])
      const soon = { ttlMs: 1000 }
      const { fake: polled } = await connected([pages(soon, soon), modern])
      const before = lists(fake)
      for (let time = 0; time < 2; time++) {
        const read = lists(polled)
        await turn(60_000)
        await until(() => lists(polled) > read)
      }
      expect(lists(fake)).toBe(before)
    },
  )
})

describe('a change that is announced after a long time without', () => {
  it('is looked at soon, however many were announced for nothing before', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'performance'],
      shouldAdvanceTime: true,
    })
    onTestFinished(() => void vi.useRealTimers())
    let push: ((data: unknown) => void) | undefined
    const { fake } = await connected(
      [
        (exchange) => {
          if (exchange.method !== 'GET') return undefined
          push = stream(exchange)
          return true
        },
      ],
      { era: '2025' },
    )
    await until(() => push !== undefined)
    const announce = (): void =>
      push?.({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    for (let times = 0; times < 10; times += 1) {
      const before = lists(fake)
      announce()
      while (lists(fake) === before) {
        await vi.advanceTimersByTimeAsync(100)
        await setImmediate()
      }
    }
    await vi.advanceTimersByTimeAsync(60_000)
    const before = lists(fake)
    announce()
    await until(() => lists(fake) > before)
    expect(lists(fake)).toBe(before + 1)
  })
})

describe('a list that cannot be read again', () => {
  it('stays as it was, and is tried until it can', async () => {
    const once: Mode = (exchange) => {
      if (exchange.body['method'] !== 'tools/list') return undefined
      if (exchange.before === 1) return refuse(exchange, 500)
      const tools = [tool(exchange.before === 0 ? 'first' : 'second')]
      return result(exchange, { resultType: 'complete', tools, ttlMs: 1000 })
    }
    const { tools, access } = await connected([once, modern])
    const names = async () => (await tools()).map(({ name }) => name)
    expect(await names()).toEqual(['first'])
    await until(() => access.servers()[0]?.state === 'degraded')
    expect(access.servers()[0]?.tools).toEqual(['first'])
    await until(() => access.servers()[0]?.state === 'ready')
    expect(await names()).toEqual(['second'])
  })
})

describe('a list that is private to who asked', () => {
  async function keep(hint: object, more: Partial<HttpServer>): Promise<string> {
    const fake = await startFakeHttp(pages(hint, hint), modern)
    onTestFinished(() => fake.close())
    const file = scratchFile()
    const { adapter, access } = await start(
      { servers: { s: { url: fake.url, ...more } }, toolCache: fileToolCache(file) },
      stubHost({ TOKEN: 'ada' }),
    )
    expect(access.servers()[0]?.tools).toContain('echo')
    await adapter.stop?.({ graceMs: 100 })
    return file
  }
  const isPrivate = { cacheScope: 'private' }

  it.each([
    ['a secret', isPrivate, { headers: { authorization: 'Bearer {env:TOKEN}' } }],
    ['a function', {}, { headers: () => ({ 'x-user': 'ada' }) }],
  ])(
    'is not kept where users are told apart by %s (tools-cache-scope)',
    async (_by, hint, more) => {
      expect(existsSync(await keep(hint, more))).toBe(false)
    },
  )

  it.each([
    ['public', { cacheScope: 'public' }, { headers: { authorization: 'Bearer {env:TOKEN}' } }],
    ['private to a user whom the configuration names', isPrivate, { headers: { 'x-user': 'ada' } }],
    ['private where there are no users', isPrivate, {}],
  ])('is kept where it is %s (tools-cache-scope)', async (_what, hint, more) => {
    expect(existsSync(await keep(hint, more))).toBe(true)
  })

  it('is not shown to another user of the same cache (tools-cache-scope)', async () => {
    const fake = await startFakeHttp(pages(isPrivate, isPrivate), modern)
    const toolCache = fileToolCache(scratchFile())
    const as = (user: string) =>
      start({ servers: { s: { url: fake.url, headers: { 'x-user': user } } }, toolCache })
    await (await as('ada')).adapter.stop?.({ graceMs: 100 })
    await fake.close()
    const [ada, bob] = [await as('ada'), await as('bob')]
    expect((await ada.tools()).map(({ name }) => name)).toEqual(['first', 'echo'])
    expect(await bob.tools()).toEqual([])
    await ada.adapter.stop?.({ graceMs: 100 })
    await bob.adapter.stop?.({ graceMs: 100 })
  })
})
