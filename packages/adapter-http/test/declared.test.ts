import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { declaredTool, testAdapter } from './host.ts'
import { startServer, type TestServer } from './server.ts'
import { ticketsDocument } from './tickets.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const loopback = { allow: ['127.0.0.1'] }

describe('a tool declared by hand', () => {
  it('fills path, query, headers and cookies', async () => {
    const { instance, invoke } = testAdapter(loopback, { TENANT: 'acme' })
    const tool = declaredTool(
      {
        method: 'GET',
        url: `${server.origin}/v1/items/{id}/parts?fixed=a%20b&page={page}`,
        query: { q: '{q}', limit: 10, none: '{none}', mixed: 'is:{q}' },
        headers: { 'x-tenant': '{env:TENANT}', 'x-q': '{q}' },
        cookies: { theme: 'dark {q}' },
      },
      ['id', 'q', 'page', 'none'],
    )
    instance.accept?.(tool)
    await invoke(tool, { id: 'a/b', q: 'x&y', page: 2 })
    expect(server.last().url).toBe(
      '/v1/items/a%2Fb/parts?fixed=a%20b&page=2&q=x%26y&limit=10&mixed=is%3Ax%26y',
    )
    expect(server.last().headers).toMatchObject({
      'x-tenant': 'acme',
      'x-q': 'x&y',
      cookie: 'theme=dark%20x%26y',
    })
  })

  it('may be written in snake_case, as files are', async () => {
    const { instance, invoke } = testAdapter(loopback)
    const tool = declaredTool(
      {
        base_url: server.origin,
        path: '/x',
        method: 'POST',
        body: { media_type: 'application/x-www-form-urlencoded', content: { some_key: '{v}' } },
      },
      ['v'],
    )
    instance.accept?.(tool)
    await invoke(tool, { v: 1 })
    expect(server.last().body.toString()).toBe('some_key=1')
  })

  it('may be written in snake_case where the parts of a body are described', async () => {
    const { invoke } = testAdapter(loopback)
    await invoke(
      declaredTool({
        method: 'POST',
        url: `${server.origin}/x`,
        body: {
          media_type: 'multipart/form-data',
          content: { some_part: 'a,b' },
          encoding: { some_part: { content_type: 'text/csv' } },
        },
      }),
    )
    expect(server.last().body.toString()).toContain(
      'name="some_part"\r\nContent-Type: text/csv\r\n\r\na,b',
    )
  })

  it('may use server and credentials of a document', async () => {
    const { discover, invoke } = testAdapter(
      {
        ...loopback,
        documents: [
          {
            name: 'tickets',
            document: ticketsDocument,
            server: `${server.origin}/v1`,
            auth: { type: 'bearer', token: '{env:T}' },
          },
        ],
      },
      { T: 'secret-1' },
    )
    await discover()
    await invoke(declaredTool({ document: 'tickets', path: '/extra' }))
    expect(server.last().url).toBe('/v1/extra')
    expect(server.last().headers.authorization).toBe('Bearer secret-1')
  })

  it('of a document is checked before that is read', () => {
    const { instance } = testAdapter({ documents: [{ name: 'a', document: '/nowhere.yaml' }] })
    instance.accept?.(declaredTool({ document: 'a', path: '/x' }))
    for (const own of [{ schemes: ['https'] }, { ports: [443] }, { allow: [] }, { redirects: 1 }]) {
      expect(() => instance.accept?.(declaredTool({ document: 'a', path: '/x', ...own }))).toThrow(
        expect.objectContaining({
          rule: 'document',
          hint: expect.stringContaining(Object.keys(own)[0]!),
        }),
      )
    }
    expect(() => instance.accept?.(declaredTool({ document: 'a', path: '/{y}' }))).toThrow(
      expect.objectContaining({ rule: 'placeholder' }),
    )
  })

  it('of a document that is not loaded is not called', async () => {
    const { invoke } = testAdapter({ documents: [{ name: 'a', document: '/nowhere.yaml' }] })
    await expect(invoke(declaredTool({ document: 'a', path: '/x' }))).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
  })

  it.each([
    ['a header', 'note', { path: '/x', headers: { 'x-note': 'n {note}' } }],
    [
      'a parameter that is a header',
      'note',
      { path: '/x', parameters: [{ name: 'X-Note', in: 'header', argument: 'note' }] },
    ],
  ])('names the argument that does not fit %s', async (_, parameter, backend) => {
    const { invoke } = testAdapter(loopback)
    const before = server.seen.length
    const tool = declaredTool({ baseUrl: server.origin, ...backend }, ['note'])
    await expect(invoke(tool, { note: 'a\r\nb: c' })).rejects.toMatchObject({
      code: 'guard_refused',
      rule: 'header-value',
      parameter,
      message: expect.stringContaining('"note"'),
    })
    expect(server.seen).toHaveLength(before)
  })

  it('sends the idempotency key where a header is declared for it', async () => {
    const { invoke } = testAdapter(loopback)
    await invoke(
      declaredTool({
        method: 'POST',
        url: `${server.origin}/x`,
        idempotencyHeader: 'Idempotency-Key',
      }),
    )
    expect(server.last().headers['idempotency-key']).toBe('key-1')
  })
})

describe('a block that cannot work is refused when it is loaded (A1)', () => {
  it.each([
    ['server-url', { path: '/x' }],
    ['server-url', { url: 'https://{host}.example.com/' }],
    ['server-url', { url: '{host}/x' }],
    ['server-url', { url: 'ftp://h.example/' }],
    ['server-url', { url: 'https://user:pass@h.example/' }],
    ['server-url', { baseUrl: 'https://{v}.example', path: '/x' }],
    ['placeholder', { url: 'https://h.example/{missing}' }],
    ['path-template', { url: 'https://h.example/a/../b' }],
    ['method', { url: 'https://h.example/', method: 'CONNECT' }],
    ['body', { url: 'https://h.example/', body: {} }],
    [
      'body',
      { url: 'https://h.example/', body: { argument: 'host', mediaType: 'text/csv; charset=GBK' } },
    ],
    [
      'body',
      {
        url: 'https://h.example/',
        headers: { 'content-type': 'text/plain; charset=constructor' },
        body: { argument: 'host', mediaType: 'text/plain' },
      },
    ],
    ['body', { url: 'https://h.example/', body: { argument: 'host', content: 1 } }],
    ['header-name', { url: 'https://h.example/', headers: { Authorization: '{host}' } }],
    ['header-name', { url: 'https://h.example/', headers: { Host: 'other' } }],
    ['header-name', { url: 'https://h.example/', headers: { 'a b': '{host}' } }],
    ['header-name', { url: 'https://h.example/', headers: { 'a b': 'fixed' } }],
    ['header-name', { url: 'https://h.example/', idempotencyHeader: 'a:b' }],
    ['header-value', { url: 'https://h.example/', headers: { 'x-a': 'a\r\nx-b: c' } }],
    ['header-value', { url: 'https://h.example/', headers: { 'x-a': ['a', 'κ'] } }],
    ['header-value', { url: 'https://h.example/', headers: { 'x-a': 'κ {env:T}' } }],
    [
      'header-name',
      {
        url: 'https://h.example/',
        auth: { type: 'apiKey', in: 'header', name: 'X Key', value: '{env:T}' },
      },
    ],
    ['document', { document: 'missing', path: '/x' }],
    ['auth-origin', { url: '{host}', headers: { 'x-key': '{env:T}' } }],
    ['auth-origin', { url: '{host}', auth: { type: 'bearer', token: '{env:T}' } }],
    ['secret-literal', { url: 'https://h.example/', auth: { type: 'bearer', token: 'abc' } }],
    ['secret-missing', { url: 'https://h.example/', headers: { 'x-key': '{env:NONE}' } }],
    ['allow-entry', { url: 'https://h.example/', allow: ['http://x'] }],
  ])('%s: %j', (rule, backend) => {
    const { instance } = testAdapter({})
    const tool = declaredTool(backend, ['host'])
    expect(() => instance.accept?.(tool)).toThrow(
      expect.objectContaining({
        name: 'InvalidToolError',
        rule,
        where: 'http::test::tool',
        message: expect.stringMatching(/^Tool "http::test::tool"/),
        hint: expect.stringMatching(/^[A-Z].+\.$/),
      }),
    )
  })

  it.each([
    ['document-name', [{ name: 'a b', document: {} }]],
    [
      'document-name',
      [
        { name: 'a', document: {} },
        { name: 'a', document: {} },
      ],
    ],
  ])('options with a bad document: %s', (rule, documents) => {
    expect(() => testAdapter({ documents })).toThrow(expect.objectContaining({ rule }))
  })
})

describe('a document that asks for credentials', () => {
  it('without auth is reported to the operator', async () => {
    const document = {
      ...ticketsDocument,
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: { '/x': { get: {} } },
    }
    const { discover, host } = testAdapter({ documents: [{ name: 'tickets', document }] })
    await discover()
    expect(host.logged).toContain(
      'OpenAPI document "tickets" asks for token (http bearer), but it has no "auth"',
    )
  })
})

describe('health (A13)', () => {
  it('is ok where every host has an address, and says which has none', async () => {
    const network = {
      resolve: async (name: string) => {
        if (name !== 'a.example') throw new Error('no')
        return ['93.184.216.34']
      },
    }
    const documents = ['a', 'b'].map((name) => ({
      name,
      document: ticketsDocument,
      server: `https://${name}.example`,
    }))
    const both = testAdapter({ documents, network })
    await both.discover()
    const signal = new AbortController().signal
    expect(await both.instance.health?.(signal)).toEqual({
      state: 'degraded',
      reason: 'no address for b.example',
    })
    const one = testAdapter({ documents: documents.slice(0, 1), network })
    await one.discover()
    expect(await one.instance.health?.(signal)).toEqual({ state: 'ok' })
  })

  it('looks up no address that is written out', async () => {
    const resolve = async (): Promise<never> => {
      throw new Error('no')
    }
    const { instance } = testAdapter({ network: { resolve } })
    for (const name of ['127.0.0.1', '[::1]']) {
      instance.accept?.(declaredTool({ url: `http://${name}/x` }))
      expect(await instance.health?.(new AbortController().signal)).toEqual({ state: 'ok' })
    }
  })

  it('looks at the servers of declared tools too', async () => {
    const resolve = async (name: string) => (name === 'a.example' ? ['93.184.216.34'] : [])
    const { instance } = testAdapter({ network: { resolve } })
    const signal = new AbortController().signal
    const at = (host: string) => declaredTool({ url: `https://${host}/x` })
    instance.accept?.(at('gone.example'))
    expect(await instance.health?.(signal)).toEqual({
      state: 'down',
      reason: 'no address for gone.example',
    })
    instance.accept?.(at('a.example'))
    expect(await instance.health?.(signal)).toEqual({ state: 'ok' })
    instance.accept?.(declaredTool({ url: '{url}' }, ['url']))
    expect(await instance.health?.(signal)).toEqual({ state: 'ok' })
  })
})
