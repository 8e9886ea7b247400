import { describe, expect, it } from 'vitest'

import { declaredTool, testAdapter } from './host.ts'
import { json, startServer } from './server.ts'

const loopback = { allow: ['127.0.0.1'] }

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
