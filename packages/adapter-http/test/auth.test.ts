import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { afterEach, describe, expect, it } from 'vitest'

import type { DialTarget, HttpAuth } from '../src/index.ts'
import { declaredTool, testAdapter, testContext } from './host.ts'
import { latch } from './latch.ts'
import { json, startServer, type Answerer, type TestServer } from './server.ts'

let server: TestServer
afterEach(() => server.close())

const secrets = { TOKEN: 't-0123456789', USER: 'ann', PASSWORD: 'p:ß' }

async function call(auth: HttpAuth, answer?: Answerer) {
  server = await startServer(answer)
  const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
  const tool = declaredTool({ baseUrl: server.origin, path: '/x', query: { q: 1 }, auth })
  return { invoke: () => invoke(tool), invokeWith: invoke, tool }
}

describe('credentials (D8)', () => {
  it('bearer', async () => {
    const { invoke } = await call({ type: 'bearer', token: '{env:TOKEN}' })
    await invoke()
    expect(server.last().headers.authorization).toBe('Bearer t-0123456789')
  })

  it('basic, in UTF-8', async () => {
    const { invoke } = await call({
      type: 'basic',
      username: '{env:USER}',
      password: '{env:PASSWORD}',
    })
    await invoke()
    const [, encoded = ''] = (server.last().headers.authorization ?? '').split(' ')
    expect(Buffer.from(encoded, 'base64').toString()).toBe('ann:p:ß')
  })

  it.each([
    ['header', (seen: TestServer) => seen.last().headers['x-key'], 'Key t-0123456789'],
    ['query', (seen: TestServer) => seen.last().url, '/x?q=1&X-Key=Key%20t-0123456789'],
    ['cookie', (seen: TestServer) => seen.last().headers.cookie, 'X-Key=Key%20t-0123456789'],
  ] as const)('API key in the %s', async (place, read, expected) => {
    const { invoke } = await call({
      type: 'apiKey',
      in: place,
      name: 'X-Key',
      value: '{env:TOKEN}',
      prefix: 'Key ',
    })
    await invoke()
    expect(read(server)).toBe(expected)
  })

  it('a key in a cookie stands beside a header for cookies that was written out', async () => {
    server = await startServer()
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    const auth: HttpAuth = { type: 'apiKey', in: 'cookie', name: 'key', value: '{env:TOKEN}' }
    const headers = { Cookie: 'region=eu' }
    await invoke(declaredTool({ baseUrl: server.origin, path: '/x', headers, auth }))
    expect(server.last().headers.cookie).toBe('region=eu; key=t-0123456789')
  })

  it('names a secret that is not set, and sends nothing', async () => {
    const { invoke } = await call({ type: 'bearer', token: '{env:MISSING}' })
    await expect(invoke()).rejects.toMatchObject({
      rule: 'secret',
      started: 'no',
      message: expect.stringContaining('MISSING'),
    })
    expect(server.seen).toEqual([])
  })

  it('refuses a secret that is written out', async () => {
    server = await startServer()
    const { instance } = testAdapter({})
    const tool = declaredTool({ url: 'https://h.example/', auth: { type: 'bearer', token: 'abc' } })
    expect(() => instance.accept?.(tool)).toThrow(
      expect.objectContaining({ rule: 'secret-literal' }),
    )
  })
})

const auth = (origin: string, extra: object = {}): HttpAuth => ({
  type: 'oauth2',
  tokenUrl: `${origin}/token`,
  clientId: 'client',
  clientSecret: '{env:TOKEN}',
  scopes: ['read', 'write'],
  ...extra,
})

/** Gives tokens t1, t2, …; the API takes only those that `good` knows. */
async function oauth(good: (token: string) => boolean, expiresIn = 3600) {
  let issued = 0
  server = await startServer((request, response) => {
    if (request.url === '/token') {
      issued += 1
      return json(response, { access_token: `t${issued}`, expires_in: expiresIn })
    }
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    return json(response, { token }, good(token) ? 200 : 401)
  })
  const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
  return invoke
}

const tool = (extra: object = {}) =>
  declaredTool({
    method: 'POST',
    baseUrl: server.origin,
    path: '/x',
    body: { content: { a: 1 } },
    auth: auth(server.origin, extra),
  })

describe('OAuth 2 client credentials (D8)', () => {
  it('asks for a token once, also for calls at the same time', async () => {
    const invoke = await oauth(() => true)
    const shared = tool()
    await Promise.all([invoke(shared), invoke(shared), invoke(shared)])
    await invoke(shared)
    const asked = server.seen.filter(({ url }) => url === '/token')
    expect(asked.length).toBe(1)
    expect(asked[0]?.body.toString()).toBe('grant_type=client_credentials&scope=read+write')
    expect(asked[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('client:t-0123456789').toString('base64')}`,
    )
  })

  it('gives the client in the body where the server wants it there', async () => {
    const invoke = await oauth(() => true)
    await invoke(tool({ clientAuth: 'body' }))
    expect(server.seen[0]?.headers.authorization).toBeUndefined()
    expect(server.seen[0]?.body.toString()).toContain('client_secret=t-0123456789')
  })

  it('renews a token that is refused, once', async () => {
    const invoke = await oauth((token) => token === 't2')
    expect(await invoke(tool())).toMatchObject({ data: { token: 't2' } })
    const refusing = await server.close().then(() => oauth(() => false))
    expect(await refusing(tool())).toMatchObject({ isError: true, data: { status: 401 } })
    expect(server.seen.filter(({ url }) => url === '/x').length).toBe(2)
  })

  it('sends nothing again that was served before a redirect to what refuses', async () => {
    server = await startServer(({ url, method }, response) => {
      if (url === '/token') return json(response, { access_token: 't1' })
      if (method === 'POST') return void response.writeHead(303, { location: '/done' }).end()
      return json(response, {}, 401)
    })
    const { invoke } = testAdapter({ allow: ['127.0.0.1'], redirects: 1 }, secrets)
    expect(await invoke(tool())).toMatchObject({ isError: true, data: { status: 401 } })
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /token',
      'POST /x',
      'GET /done',
    ])
  })

  it('renews no token for another origin, which never saw it', async () => {
    const other = await startServer((_, response) => json(response, {}, 401))
    try {
      server = await startServer(({ url }, response) => {
        if (url === '/token') return json(response, { access_token: 't1' })
        return void response.writeHead(307, { location: `${other.origin}/` }).end()
      })
      const options = { allow: ['127.0.0.1'], redirects: 1, ports: [server.port, other.port] }
      const { invoke } = testAdapter(options, secrets)
      const read = declaredTool({ url: `${server.origin}/x`, auth: auth(server.origin) })
      expect(await invoke(read)).toMatchObject({ isError: true, data: { status: 401 } })
      expect(server.seen.map(({ url }) => url)).toEqual(['/token', '/x'])
      expect(other.last().headers.authorization).toBeUndefined()
    } finally {
      await other.close()
    }
  })

  it('reaches the token server by its own port, whatever those of the tools are', async () => {
    const tokens = await startServer((_, response) => json(response, { access_token: 't1' }))
    try {
      server = await startServer()
      const { invoke } = testAdapter({ allow: ['127.0.0.1'], ports: [server.port] }, secrets)
      await invoke(declaredTool({ url: `${server.origin}/x`, auth: auth(tokens.origin) }))
      expect(server.last().headers.authorization).toBe('Bearer t1')
    } finally {
      await tokens.close()
    }
  })

  it('asks anew when a token is about to end', async () => {
    const invoke = await oauth(() => true, 10)
    const shared = tool()
    await invoke(shared)
    expect(await invoke(shared)).toMatchObject({ data: { token: 't2' } })
  })

  it('says that no token was given', async () => {
    server = await startServer((_, response) => json(response, { error: 'invalid_client' }, 401))
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    await expect(invoke(tool())).rejects.toMatchObject({
      code: 'backend_unavailable',
      rule: 'oauth2',
      started: 'no',
      message: expect.stringContaining('invalid_client'),
    })
  })

  it.each([
    ['application/json', (told: string) => JSON.stringify({ told })],
    ['text/plain', (told: string) => told],
    ['text/event-stream', (told: string) => `data: ${told}\n\n`],
  ])('shows no token that a server gives back as %s', async (type, write) => {
    const token = 'issued-token-0123456789'
    server = await startServer(({ url, headers }, response) => {
      if (url === '/token') return json(response, { access_token: token })
      response.setHeader('content-type', type)
      response.end(write(`you sent ${headers.authorization}`))
    })
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    const output = JSON.stringify(await invoke(tool()))
    expect(output).toContain('you sent Bearer [redacted]')
    expect(output).not.toContain(token)
  })

  it('takes no endless answer for a token', async () => {
    let written = 0
    server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = (error?: Error | null): void => {
        if (error || response.destroyed) return
        written += 65_536
        response.write('x'.repeat(65_536), more)
      }
      more()
    })
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    await expect(invoke(tool())).rejects.toMatchObject({ rule: 'oauth2', started: 'no' })
    expect(written).toBeLessThan(50_000_000)
  })

  it('a call that is stopped does not take the token from another', async () => {
    const stop = new AbortController()
    const asked = latch()
    const answer = latch()
    server = await startServer(async (request, response) => {
      if (request.url !== '/token') return json(response, { ok: true })
      asked.open()
      await answer.opened
      return json(response, { access_token: 't' })
    })
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    const shared = tool()
    const first = invoke(shared, {}, testContext(stop.signal)).catch((cause: unknown) => cause)
    await asked.opened
    const second = invoke(shared)
    stop.abort()
    expect(await first).toMatchObject({ code: 'cancelled' })
    answer.open()
    expect(await second).toMatchObject({ data: { ok: true } })
  })

  it('a call that is stopped does not wait for the token that another asked for', async () => {
    const stop = new AbortController()
    const asked = latch()
    const answer = latch()
    server = await startServer(async (request, response) => {
      if (request.url !== '/token') return json(response, { ok: true })
      asked.open()
      await answer.opened
      return json(response, { access_token: 't' })
    })
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    const shared = tool()
    const first = invoke(shared)
    await asked.opened
    const second = invoke(shared, {}, testContext(stop.signal))
    stop.abort()
    await expect(second).rejects.toMatchObject({ code: 'cancelled', started: 'no' })
    answer.open()
    expect(await first).toMatchObject({ data: { ok: true } })
  })

  it('a call that is stopped in the middle of the token says so, and leaves the others be', async () => {
    const stop = new AbortController()
    const begun = latch()
    server = await startServer((request, response) => {
      if (request.url !== '/token') return json(response, { ok: true })
      if (server.seen.length > 1) return json(response, { access_token: 't' })
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":')
    })
    const connectNoting = async ({ address, port }: DialTarget): Promise<Socket> => {
      const socket = connect(port, address)
      await once(socket, 'connect')
      // The client takes what is there in the same turn.
      return socket.once('readable', () => setImmediate(begun.open))
    }
    const network = { connect: connectNoting }
    const { invoke } = testAdapter({ allow: ['127.0.0.1'], network }, secrets)
    const shared = tool()
    const first = invoke(shared, {}, testContext(stop.signal)).catch((cause: unknown) => cause)
    const second = invoke(shared)
    await begun.opened
    stop.abort()
    expect(await first).toMatchObject({ code: 'cancelled', started: 'no' })
    expect(await second).toMatchObject({ data: { ok: true } })
  })

  it('a token server that breaks off has not started the call', async () => {
    server = await startServer((_, response) => void response.destroy())
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] }, secrets)
    await expect(invoke(tool())).rejects.toMatchObject({ code: 'backend_error', started: 'no' })
  })
})
