import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { fileTokenStore, type HttpAuth, memoryTokenStore, type TokenStore } from '../src/index.ts'
import { fakeAuth, portTaken, running, user } from './auth.ts'
import { turnableClock } from './clock.ts'
import { scratchFile } from './fake.ts'
import { create, start, until } from './host.ts'
import { healthOf } from './http.ts'

describe('authorization', () => {
  it('is done once for a connection, with registration and PKCE', async () => {
    const fake = await fakeAuth()
    const { call } = await running(fake, user(memoryTokenStore()))
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(fake.counts).toMatchObject({ register: 1, authorize: 1, token: 1 })
  })

  it('is kept between runs, with its registration (re-register-every-time)', async () => {
    const fake = await fakeAuth()
    const auth = user(fileTokenStore(path.dirname(scratchFile())))
    await (await running(fake, auth)).adapter.stop?.({ graceMs: 100 })
    await (await running(fake, auth)).call('s.echo')
    expect(fake.counts).toMatchObject({ register: 1, authorize: 1, token: 1 })
  })

  it('is kept in a file that only its owner can read', async () => {
    const folder = path.dirname(scratchFile())
    const store = fileTokenStore(path.join(folder, 'tokens'))
    await store.write('key', { tokens: { access_token: 'x' } })
    expect(await store.read('key')).toEqual({ tokens: { access_token: 'x' } })
    expect(statSync(path.join(folder, 'tokens')).mode & 0o777).toBe(0o700)
  })

  it.each(['one process', 'two that share a folder'])(
    'that has run out is refreshed once for all calls of %s (refresh-race)',
    async (who) => {
      const fake = await fakeAuth()
      const folder = path.dirname(scratchFile())
      const auth = user(fileTokenStore(folder))
      const first = await running(fake, auth)
      // A store of its own over the same files is what another process has.
      const other = { ...auth, store: fileTokenStore(folder) } as HttpAuth
      const second = who === 'one process' ? first : await running(fake, other)
      const before = fake.counts.token
      fake.expire()
      const calls = [0, 1, 2, 3, 4].map((index) =>
        (index % 2 === 0 ? first : second).call('s.echo'),
      )
      expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(Array(5).fill('echo {}'))
      expect(fake.counts.token - before).toBe(1)
      expect(fake.counts.reuse).toBe(0)
    },
  )

  it('survives a token endpoint that is down: nothing is forgotten, nobody is asked (refresh-race)', async () => {
    const fake = await fakeAuth()
    const { call } = await running(fake, user(memoryTokenStore()))
    fake.expire()
    fake.down = true
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
    fake.down = false
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(fake.counts).toMatchObject({ authorize: 1, register: 1 })
  })

  it('uses a client that is configured, and registers none (dcr-optional)', async () => {
    const fake = await fakeAuth({ registration: false })
    const { call } = await running(fake, user(memoryTokenStore(), { clientId: 'configured' }))
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(fake.counts.register).toBe(0)
    expect(fake.clients).toEqual(['configured'])
  })

  it('uses a client metadata document where the server takes one (dcr-optional)', async () => {
    const fake = await fakeAuth({ documents: true })
    const clientMetadataUrl = 'https://client.example.test/metadata.json'
    const { call } = await running(fake, user(memoryTokenStore(), { clientMetadataUrl }))
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(fake.counts.register).toBe(0)
    expect(fake.clients).toEqual([clientMetadataUrl])
  })

  it('that waits for its user says where, and goes on when the user has done it', async () => {
    const fake = await fakeAuth()
    let page: URL | undefined
    const { adapter, tools, host } = await start({
      startWaitMs: 300,
      servers: {
        s: {
          url: fake.url,
          era: '2025',
          auth: user(memoryTokenStore(), {
            authorize: ({ url }: { url: URL }) => {
              page = url
            },
          }),
        },
      },
    })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    await until(() => page !== undefined)
    const health = await adapter.health?.(new AbortController().signal)
    expect(health?.reason).toContain(`waits for a user to authorize it at ${fake.origin}/authorize`)
    await fetch(page!)
    await until(() => host.changes > 0)
    expect((await tools()).map(({ name }) => name)).toEqual(['echo'])
  })

  it('of several servers at once shares an address to come back to', async () => {
    const [a, b] = [await fakeAuth(), await fakeAuth()]
    const auth = user(memoryTokenStore())
    const { adapter, call } = await start({
      servers: { a: { url: a.url, era: '2025', auth }, b: { url: b.url, era: '2025', auth } },
    })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    const calls = await Promise.all([call('a.echo'), call('b.echo')])
    expect(calls.map(({ data }) => data)).toEqual(['echo {}', 'echo {}'])
  })

  it('goes on when something else asks at the address to come back to', async () => {
    const fake = await fakeAuth()
    const statuses: number[] = []
    const auth = user(memoryTokenStore())
    const { redirectUrl = '' } = auth as { redirectUrl?: string }
    const { call } = await running(fake, {
      ...auth,
      authorize: async ({ url }: { url: URL }) => {
        // An address that cannot be read, which any page can send a browser to.
        for (const place of ['//', '/other'])
          statuses.push((await fetch(`${new URL(redirectUrl).origin}${place}`)).status)
        await fetch(url)
      },
    } as HttpAuth)
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(statuses).toEqual([404, 404])
  })

  it('whose port another program has is tried again until it is free', async () => {
    const fake = await fakeAuth()
    const auth = user(memoryTokenStore())
    const other = await portTaken(auth)
    const adapter = await running(fake, auth)
    expect((await healthOf(adapter))?.reason).toContain('EADDRINUSE')
    other.close()
    await until(() => adapter.access.servers()[0]?.state === 'ready')
    expect(fake.counts.authorize).toBe(1)
  })

  it('whose port another process has takes the tokens that it has stored meanwhile', async () => {
    const fake = await fakeAuth()
    const store = fileTokenStore(path.dirname(scratchFile()))
    let key = ''
    const read: TokenStore['read'] = (asked) => {
      key = asked
      return store.read(asked)
    }
    const auth = user({ ...store, read })
    await portTaken(auth)
    const turn = turnableClock()
    const adapter = await running(fake, auth)
    expect((await healthOf(adapter))?.state).toBe('down')
    // Each attempt comes after a longer wait, up to a minute.
    for (let minute = 0; minute < 8; minute += 1) {
      await turn(60_000)
      await until(() => adapter.access.servers()[0]?.state !== 'starting')
    }
    const answer = await fetch(`${fake.origin}/token`, { method: 'POST' })
    await store.write(key, { tokens: (await answer.json()) as Record<string, unknown> })
    await turn(1000)
    await until(() => adapter.access.servers()[0]?.state === 'ready', 5000)
    expect(fake.counts.authorize).toBe(0)
  })

  it('whose page cannot be shown leaves nothing behind', async () => {
    const fake = await fakeAuth()
    const auth = user(memoryTokenStore(), {
      authorize: () => {
        throw new Error('there is no browser')
      },
    })
    const adapter = await running(fake, auth)
    expect((await healthOf(adapter))?.reason).toContain('there is no browser')
    await expect(fetch(String((auth as { redirectUrl?: string }).redirectUrl))).rejects.toThrow(
      'fetch failed',
    )
  })

  it('shows no page once the adapter is stopped', async () => {
    const fake = await fakeAuth()
    const shown: URL[] = []
    const store = memoryTokenStore()
    const begin = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const auth = user(
      {
        ...store,
        exclusive: async (key, run) => {
          await begin.promise
          return store.exclusive(key, run).finally(() => ended.resolve())
        },
      },
      { authorize: ({ url }: { url: URL }) => void shown.push(url) },
    )
    const { adapter } = await start({
      startWaitMs: 50,
      servers: { s: { url: fake.url, era: '2025', auth } },
    })
    await adapter.stop?.({ graceMs: 100 })
    begin.resolve()
    await ended.promise
    expect(shown).toEqual([])
  })

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://evil.example.test/'])(
    'does not show the page %s (auth-url-scheme)',
    async (page) => {
      const fake = await fakeAuth({ page })
      const shown: URL[] = []
      const adapter = await running(
        fake,
        user(memoryTokenStore(), { authorize: ({ url }: { url: URL }) => void shown.push(url) }),
      )
      expect((await healthOf(adapter))?.state).toBe('down')
      expect(shown).toEqual([])
    },
  )

  it('follows no metadata to another origin (oauth-ssrf)', async () => {
    const fake = await fakeAuth({ metadata: 'http://169.254.169.254/latest' })
    const adapter = await running(fake, user(memoryTokenStore()))
    expect((await healthOf(adapter))?.reason).toContain('metadata of another origin')
  })
})

describe('an authorization server that misbehaves', () => {
  it('gets no token request at another address than its own (oauth-ssrf)', async () => {
    const other = await fakeAuth()
    const fake = await fakeAuth({ tokenRedirect: `${other.origin}/token` })
    const adapter = await running(fake, user(memoryTokenStore()))
    expect((await healthOf(adapter))?.reason).toContain(
      '/token, named for authorization, redirects',
    )
    expect(other.counts.token).toBe(0)
  })

  it('that answers without an end is not listened to (http-size-unbounded)', async () => {
    const fake = await fakeAuth({ endless: true })
    const adapter = await running(fake, user(memoryTokenStore()))
    expect((await healthOf(adapter))?.reason).toContain('answers with too much')
  })

  it('that forgot its client gets it registered again, once (re-register-every-time)', async () => {
    const fake = await fakeAuth()
    const { call } = await running(fake, user(memoryTokenStore()))
    fake.forgetClients()
    fake.expire()
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(fake.counts).toMatchObject({ register: 2, authorize: 2 })
  })

  it('is asked three times at most for one request, and its user not again for ten minutes', async () => {
    const turn = turnableClock()
    const fake = await fakeAuth({ neverContent: true })
    const adapter = await running(fake, user(memoryTokenStore()))
    expect((await healthOf(adapter))?.reason).toContain('status 401')
    expect(fake.counts.token).toBeLessThanOrEqual(3)
    const { token } = fake.counts
    // What has failed otherwise is tried again after a second.
    await turn(9 * 60_000)
    expect(adapter.access.servers()[0]?.restarts).toBe(0)
    await turn(60_000)
    await until(() => fake.counts.token > token)
  })
})

describe('an authorization that is about to show its page', () => {
  /** Starts an authorization; `reading` is called before each read of the store, with its number. */
  async function begin(reading: (count: number) => Promise<void>, authorize: () => void) {
    const fake = await fakeAuth()
    const store = memoryTokenStore()
    const over = Promise.withResolvers<void>()
    let count = 0
    const watched: TokenStore = {
      ...store,
      read: async (key) => {
        count += 1
        await reading(count)
        return store.read(key)
      },
      exclusive: (key, run) => store.exclusive(key, run).finally(over.resolve),
    }
    const auth = user(watched, { authorize })
    const servers = { s: { url: fake.url, era: '2025' as const, auth } }
    const { adapter } = await start({ servers, startWaitMs: 1 })
    const stop = async (): Promise<void> => adapter.stop?.({ graceMs: 100 })
    onTestFinished(stop)
    return { stop, over: over.promise }
  }

  it('does not show it after a stop', async () => {
    let shown = 0
    let last = 0
    const reads = (count: number): Promise<void> => {
      if (shown === 0) last = count
      return Promise.resolve()
    }
    const first = await begin(reads, () => void (shown += 1))
    await until(() => shown === 1)
    await first.stop()
    const reached = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const held = async (count: number): Promise<void> => {
      if (count !== last) return
      reached.resolve()
      await go.promise
    }
    const second = await begin(held, () => void (shown += 1))
    await reached.promise
    await second.stop()
    go.resolve()
    await second.over
    expect(shown).toBe(1)
  })
})

describe('a fixed Authorization header', () => {
  it('that is refused is reported, and no authorization is tried (static-header-vs-oauth)', async () => {
    const fake = await fakeAuth()
    const adapter = await start({
      servers: { s: { url: fake.url, headers: { authorization: 'Bearer wrong' } } },
    })
    onTestFinished(() => adapter.adapter.stop?.({ graceMs: 100 }))
    expect((await healthOf(adapter))?.reason).toContain('status 401')
    expect(fake.counts).toMatchObject({ metadata: 0, register: 0, authorize: 0 })
  })

  it('beside an authorization is refused at set-up (static-header-vs-oauth)', () => {
    expect(() =>
      create({
        servers: {
          s: {
            url: 'https://mcp.example.test/',
            headers: { Authorization: 'Bearer x' },
            auth: user(memoryTokenStore()),
          },
        },
      }),
    ).toThrow(/both an Authorization header and auth/)
  })
})

describe('a token store', () => {
  it('lets one at a time at a key', async () => {
    const store = fileTokenStore(path.dirname(scratchFile()))
    const order: string[] = []
    const run = (name: string) =>
      store.exclusive('key', async () => {
        order.push(`${name} in`)
        await Promise.resolve(randomUUID())
        order.push(`${name} out`)
      })
    await Promise.all([run('a'), run('b')])
    expect(order).toEqual(['a in', 'a out', 'b in', 'b out'])
  })
})
