import { describe, expect, it, onTestFinished } from 'vitest'

import { turnableClock } from './clock.ts'
import { refuse, startFakeHttp, stream, text } from './fixtures/fake-http.ts'
import { start, stubHost, until } from './host.ts'
import { connected, healthOf, methodsOf, onCall } from './http.ts'

describe('a server over Streamable HTTP', () => {
  it('lists and calls, and ends its session on stop (no-delete)', async () => {
    const { tools, call, fake, adapter } = await connected([])
    expect((await tools()).map(({ name }) => name)).toEqual(['echo'])
    expect((await call('s.echo', { a: 1 })).data).toBe('echo {"a":1}')
    await adapter.stop?.({ graceMs: 100 })
    expect(fake.recorded.at(-1)?.method).toBe('DELETE')
    expect(fake.sessions.size).toBe(0)
  })

  it('may answer by an event stream, with progress before it', async () => {
    const { call } = await connected([
      onCall((exchange) => {
        const send = stream(exchange)
        // The token of a request is its id.
        const progressToken = exchange.body['id']
        send({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2 },
        })
        send({ jsonrpc: '2.0', id: exchange.body['id'], result: text('streamed') })
        exchange.response.end()
        return true
      }),
    ])
    const seen: unknown[] = []
    const { data } = await call('s.echo', {}, { progress: (progress) => seen.push(progress) })
    expect(data).toBe('streamed')
    expect(seen).toEqual([{ fraction: 0.5 }])
  })

  it.each([400, 404, 405, 406, 500, 501])(
    'may answer GET with %i (get-stream-optional)',
    async (status) => {
      const { call } = await connected([
        (exchange) => (exchange.method === 'GET' ? refuse(exchange, status) : undefined),
      ])
      expect((await call('s.echo')).data).toBe('echo {}')
    },
  )

  it('may say by itself on its stream that tools have changed', async () => {
    const { fake, tools } = await connected([
      (exchange) => {
        if (exchange.method !== 'GET') return undefined
        const send = stream(exchange)
        exchange.server.tools = [{ name: 'new', inputSchema: { type: 'object' } }]
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
        return true
      },
    ])
    await until(() => methodsOf(fake).filter((method) => method === 'tools/list').length > 0)
    await until(async () => (await tools()).some(({ name }) => name === 'new'))
    expect(methodsOf(fake)).toContain('GET')
  })

  it('is asked for its stream again after an outage of any length', async () => {
    const turn = turnableClock()
    let asked = 0
    const { fake, tools } = await connected([
      (exchange) => {
        if (exchange.method !== 'GET') return undefined
        asked += 1
        // Its first stream ends at once, with a wish that must not make an outage a storm.
        if (asked === 1) {
          stream(exchange)(undefined, { id: 'a', retry: 1 })
          exchange.response.end()
          return true
        }
        if (asked < 10) return refuse(exchange, asked % 2 === 0 ? 429 : 503)
        const send = stream(exchange)
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
        return true
      },
    ])
    fake.tools = [{ name: 'new', inputSchema: { type: 'object' } }]
    await until(async () => {
      await turn(30_000)
      return (await tools()).some(({ name }) => name === 'new')
    })
    expect(asked).toBe(10)
  })
})

describe('headers', () => {
  it('go with every request, asked for anew each time (headers-everywhere)', async () => {
    let asked = 0
    const { call, fake, adapter } = await connected([], {
      headers: () => {
        asked += 1
        return { 'X-Key': `key-${String(asked)}` }
      },
    })
    await call('s.echo')
    await until(() => fake.recorded.some(({ method }) => method === 'GET'))
    await adapter.stop?.({ graceMs: 100 })
    const keys = fake.recorded.map((entry) => entry.headers['x-key'])
    expect(new Set(fake.recorded.map(({ method }) => method))).toEqual(
      new Set(['POST', 'GET', 'DELETE']),
    )
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).not.toContain(undefined)
  })

  it('take secrets from the host', async () => {
    const { fake } = await connected(
      [],
      { headers: { authorization: 'Bearer {env:MCP_TOKEN}' } },
      stubHost({ MCP_TOKEN: 'abc' }),
    )
    expect(fake.recorded[0]?.headers['authorization']).toBe('Bearer abc')
  })

  it('with other characters than ASCII are refused by name, not by value (header-non-ascii)', async () => {
    const running = await connected([], { headers: { 'x-name': 'Ünsendbar' } })
    const { reason } = (await healthOf(running)) ?? {}
    expect(reason).toContain('the header x-name holds what a header cannot')
    expect(reason).not.toContain('Ünsendbar')
  })

  it('with credentials are not sent in the clear beyond this machine', async () => {
    const running = await start({
      servers: { s: { url: 'http://mcp.example.test/', headers: { authorization: 'x' } } },
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await healthOf(running))?.reason).toContain('over https only')
  })
})

describe('headers with credentials in the clear', () => {
  it('are sent where the network is trusted', async () => {
    const url = 'http://mcp.invalid/'
    const headers = { authorization: 'x' }
    const running = await start({ servers: { s: { url, headers, plainHttp: true } } })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await healthOf(running))?.reason).not.toContain('over https only')
  })
})

describe('an address that is a secret', () => {
  it.each(['localhost:8080/mcp', 'nowhere'])(
    'and no address, %j, is told as that',
    async (address) => {
      const running = await start(
        { servers: { s: { url: '{env:MCP_URL}' } } },
        stubHost({ MCP_URL: address }),
      )
      onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
      const { reason } = (await healthOf(running)) ?? {}
      expect(reason).toContain('what {env:MCP_URL} stands for is no http or https address')
      expect(reason).not.toContain(address)
    },
  )
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with %i to another origin is not followed (redirect-leak)',
    async (status) => {
      const other = await startFakeHttp()
      onTestFinished(() => other.close())
      const running = await connected(
        [(exchange) => refuse(exchange, status, '', { location: other.url })],
        {
          headers: { 'x-api-key': 'secret' },
        },
      )
      expect((await healthOf(running))?.reason).toContain(
        `redirect to ${other.url} is not followed`,
      )
      expect(other.recorded).toEqual([])
    },
  )

  it.each([307, 308])(
    'with %i to the same origin keeps method and body (redirect-leak)',
    async (status) => {
      const { call } = await connected([
        (exchange) =>
          exchange.path === '/mcp'
            ? refuse(exchange, status, '', { location: '/moved' })
            : undefined,
      ])
      expect((await call('s.echo', { kept: true })).data).toBe('echo {"kept":true}')
    },
  )

  it.each([301, 302, 303])(
    'with %i in answer to a POST is an error that names its target (redirect-leak)',
    async (status) => {
      const running = await connected([
        (exchange) => refuse(exchange, status, '', { location: '/moved' }),
      ])
      expect((await healthOf(running))?.reason).toMatch(
        /redirect to http:\/\/127.0.0.1:\d+\/moved is not followed/,
      )
    },
  )
})
