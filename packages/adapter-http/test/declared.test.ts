import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { declaredTool, testAdapter } from './host.ts'
import { json, startServer, type TestServer } from './server.ts'
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
    ['body', { url: 'https://h.example/', body: { argument: 'host', content: 1 } }],
    ['header-name', { url: 'https://h.example/', headers: { Authorization: '{host}' } }],
    ['header-name', { url: 'https://h.example/', headers: { Host: 'other' } }],
    ['header-name', { url: 'https://h.example/', headers: { 'a b': '{host}' } }],
    ['header-name', { url: 'https://h.example/', headers: { 'a b': 'fixed' } }],
    ['header-name', { url: 'https://h.example/', idempotencyHeader: 'a:b' }],
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

async function paged(
  answer: (page: number, url: URL) => { body?: unknown; link?: string },
  pagination: object,
  query: object = {},
) {
  const paging = await startServer((request, response) => {
    const url = new URL(request.url, 'http://x')
    const { body, link } = answer(paging.seen.length - 1, url)
    if (link !== undefined) response.setHeader('link', link)
    if (body === undefined) response.writeHead(204).end()
    else json(response, body)
  })
  const { invoke } = testAdapter(loopback)
  const tool = declaredTool({ baseUrl: paging.origin, path: '/x', query, pagination })
  try {
    const { data } = await invoke(tool)
    return { data, urls: paging.seen.map(({ url }) => url) }
  } finally {
    await paging.close()
  }
}

describe('pagination (D13)', () => {
  const pages = [[1, 2], [3, 4], [5]]

  it('by Link header', async () => {
    const { data, urls } = await paged(
      (page) => ({
        body: pages[page],
        ...(page < 2 ? { link: `<?p=0>; rel="prev", <?p=${page + 1}>; rel="next"` } : {}),
      }),
      { by: 'link' },
    )
    expect(data).toEqual({ items: [1, 2, 3, 4, 5], pages: 3, more: false })
    expect(urls).toEqual(['/x', '/x?p=1', '/x?p=2'])
  })

  it.each([
    ['<?p=1>; rel=next', 2],
    ['<?p=1>; rel="last next"', 2],
    ['<?p=1>;title="x"; rel=next, <?p=9>; rel=last', 2],
    ['<?p=1>; rel="next-archive"', 1],
    ['<?p=1>; rel=nextcloud', 1],
    ['<'.repeat(60_000), 1],
    [`<?p=1>; rel="${'next '.repeat(12_000)}`, 1],
  ])('by the relation next alone, %#', async (link, count) => {
    const started = performance.now()
    const { urls } = await paged((page) => ({ body: [1], ...(page === 0 ? { link } : {}) }), {
      by: 'link',
    })
    expect(urls).toHaveLength(count)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('never by a Link to another origin', async () => {
    const { data, urls } = await paged(
      () => ({ body: [1], link: '<http://other.example/x>; rel=next' }),
      { by: 'link' },
    )
    expect(data).toMatchObject({ pages: 1, more: false })
    expect(urls).toHaveLength(1)
  })

  it('by cursor', async () => {
    const { data, urls } = await paged(
      (page) => ({ body: { rows: pages[page], meta: { next: page < 2 ? `c ${page}` : null } } }),
      { by: 'cursor', cursor: '/meta/next', parameter: 'after', items: '/rows' },
      { tags: 'a,b' },
    )
    expect(data).toEqual({ items: [1, 2, 3, 4, 5], pages: 3, more: false })
    expect(urls.at(-1)).toBe('/x?tags=a%2Cb&after=c%201')
  })

  it('by page and by offset, until a page is empty', async () => {
    const byPage = await paged((page) => ({ body: pages[page] ?? [] }), {
      by: 'page',
      parameter: 'page',
    })
    expect(byPage.data).toEqual({ items: [1, 2, 3, 4, 5], pages: 4, more: false })
    expect(byPage.urls).toEqual(['/x?page=1', '/x?page=2', '/x?page=3', '/x?page=4'])
    const byOffset = await paged((page) => ({ body: pages[page] ?? [] }), {
      by: 'offset',
      parameter: 'skip',
    })
    expect(byOffset.urls).toEqual(['/x?skip=0', '/x?skip=2', '/x?skip=4', '/x?skip=5'])
  })

  it('until a page has no body at all', async () => {
    const { data, urls } = await paged((page) => (page < 3 ? { body: pages[page] } : {}), {
      by: 'page',
      parameter: 'page',
    })
    expect(data).toEqual({ items: [1, 2, 3, 4, 5], pages: 4, more: false })
    expect(urls).toHaveLength(4)
  })

  it('shows a first page that is too long for items as it is', async () => {
    const { data } = await paged(() => ({ body: ['x'.repeat(1_100_000)] }), { by: 'link' })
    expect(data).toMatchObject({ blobId: 'blob-1', mediaType: 'application/json' })
  })

  it('sends a key once, although the link to the next page holds it', async () => {
    const paging = await startServer((_, response) => {
      response.setHeader('link', '<?key=k-0123456789&p=1>; rel=next')
      json(response, [1])
    })
    try {
      const { invoke } = testAdapter(loopback, { KEY: 'k-0123456789' })
      const auth = { type: 'apiKey', in: 'query', name: 'key', value: '{env:KEY}' }
      const pagination = { by: 'link', maxPages: 2 }
      await invoke(declaredTool({ url: `${paging.origin}/x`, auth, pagination }))
      expect(paging.seen.map(({ url }) => url)).toEqual([
        '/x?key=k-0123456789',
        '/x?p=1&key=k-0123456789',
      ])
    } finally {
      await paging.close()
    }
  })

  it('of an address that the model chooses', async () => {
    const paging = await startServer((_, response) => json(response, [1]))
    try {
      const { invoke } = testAdapter({ ...loopback, ports: [paging.port] })
      const pagination = { by: 'page', parameter: 'page', maxPages: 2 }
      const tool = declaredTool({ url: '{address}', pagination }, ['address'])
      await invoke(tool, { address: `${paging.origin}/x?a=1#part` })
      expect(paging.seen.map(({ url }) => url)).toEqual(['/x?a=1&page=1', '/x?a=1&page=2'])
      await expect(invoke(tool, { address: 'no address' })).rejects.toMatchObject({
        code: 'guard_refused',
        rule: 'scheme',
      })
    } finally {
      await paging.close()
    }
  })

  it.each([
    ['cursor', { by: 'cursor', parameter: 'after', cursor: 'next', items: '/rows' }],
    ['items', { by: 'link', items: 'rows' }],
  ])('refuses "%s" without its slash, which would mean the whole page', (field, pagination) => {
    const { instance } = testAdapter(loopback)
    const tool = declaredTool({ url: 'http://127.0.0.1/', pagination })
    expect(() => instance.accept?.(tool)).toThrow(
      expect.objectContaining({
        rule: 'pagination',
        message: expect.stringContaining(`"${field}" of the pagination`),
      }),
    )
  })

  it('keeps what was read before a page that is too long', async () => {
    const { data } = await paged(
      (page) => ({ body: { rows: page === 0 ? [1] : ['x'.repeat(1_100_000)], next: page } }),
      { by: 'cursor', cursor: '/next', parameter: 'after', items: '/rows' },
    )
    expect(data).toEqual({ items: [1], pages: 1, more: true })
  })

  it('ends at the limit and says that there is more', async () => {
    const { data, urls } = await paged(() => ({ body: [1] }), {
      by: 'page',
      parameter: 'page',
      maxPages: 2,
    })
    expect(data).toEqual({ items: [1, 1], pages: 2, more: true })
    expect(urls).toHaveLength(2)
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
