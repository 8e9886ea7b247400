import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

import { afterEach, describe, expect, it } from 'vitest'

import { httpAdapter, securityCheck, type OpenApiDocument } from '../src/index.ts'
import { testAdapter, testHost } from './host.ts'
import { json, startServer, type Answerer, type TestServer } from './server.ts'

const paths = { '/tickets/{id}': { get: { operationId: 'read' } } }
const servers: TestServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(answer: Answerer): Promise<TestServer> {
  const server = await startServer(answer)
  servers.push(server)
  return server
}

/** A server with a document at /docs/openapi.json, that answers every other call. */
function serveDocument(document: object): Promise<TestServer> {
  return serve(({ url }, response) =>
    json(response, url === '/docs/openapi.json' ? document : { url }),
  )
}

function adapterOf(document: Omit<OpenApiDocument, 'name'>, secrets: Record<string, string> = {}) {
  const documents = [{ name: 'tickets', ...document }]
  return testAdapter({ documents, allow: ['127.0.0.1'] }, secrets)
}

describe('a document by its address (R8.3)', () => {
  it.each([
    ['an absolute server', (origin: string) => ({ servers: [{ url: `${origin}/v1` }] }), '/v1'],
    ['a relative server', () => ({ servers: [{ url: '../v2' }] }), '/v2'],
    [
      'a server without a scheme',
      (origin: string) => ({ servers: [{ url: origin.slice(5) }] }),
      '',
    ],
    ['no server', () => ({}), ''],
  ])('with %s becomes tools that are called there', async (_what, more, base) => {
    const holder: { document: object } = { document: {} }
    const server = await serve(({ url }, response) =>
      json(response, url === '/docs/openapi.json' ? holder.document : { url }),
    )
    holder.document = { openapi: '3.1.0', paths, ...more(server.origin) }
    const { discover, invoke } = adapterOf({ document: `${server.origin}/docs/openapi.json` })
    const { data } = await invoke((await discover())('read'), { id: '7' })
    expect(data).toEqual({ url: `${base}/tickets/7` })
  })

  it('may be YAML, packed, and Swagger 2', async () => {
    const text = 'swagger: "2.0"\npaths: { /a: { get: { operationId: a } } }\nbasePath: /b\n'
    const server = await serve(({ url }, response) => {
      if (url === '/b/a') return json(response, { url })
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(text))
    })
    const { discover, invoke } = adapterOf({ document: `${server.origin}/swagger.yaml` })
    expect((await invoke((await discover())('a'))).data).toEqual({ url: '/b/a' })
  })

  it('is fetched once, without credentials', async () => {
    const server = await serveDocument({ openapi: '3.1.0', paths })
    const { instance, discover, invoke } = adapterOf(
      {
        document: `${server.origin}/docs/openapi.json`,
        auth: { type: 'bearer', token: '{env:TOKEN}' },
        headers: { 'x-key': '{env:TOKEN}' },
      },
      { TOKEN: 'a-long-secret' },
    )
    await instance.start?.(new AbortController().signal)
    await invoke((await discover())('read'), { id: '7' })
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/docs/openapi.json', undefined],
      ['/tickets/7', 'Bearer a-long-secret'],
    ])
    expect(server.seen[0]?.headers['x-key']).toBeUndefined()
  })

  it.each([
    { auth: { type: 'bearer', token: '{env:TOKEN}' } },
    { headers: { key: '{env:TOKEN}' } },
  ])('does not choose who gets credentials: %j', async (credentials) => {
    const elsewhere = { openapi: '3.1.0', paths, servers: [{ url: 'https://other.example' }] }
    const server = await serveDocument(elsewhere)
    const document = {
      document: `${server.origin}/docs/openapi.json`,
      ...(credentials as Pick<OpenApiDocument, 'auth' | 'headers'>),
    }
    const secrets = { TOKEN: 'a-long-secret' }
    await expect(adapterOf(document, secrets).discover()).rejects.toMatchObject({
      rule: 'server-url',
      hint: 'Set "server" of this document, such as "https://other.example", if it may have them.',
    })
    const named = adapterOf({ ...document, server: 'https://other.example' }, secrets)
    expect((await named.discover())('read')).toMatchObject({ name: 'read' })
  })

  it('is reached under the rules for targets alone', async () => {
    const server = await serveDocument({ openapi: '3.1.0', paths })
    const document = `${server.origin}/docs/openapi.json`
    const { discover } = testAdapter({ documents: [{ name: 'tickets', document }] })
    await expect(discover()).rejects.toMatchObject({
      rule: 'openapi-file',
      message: expect.stringContaining('This address is not public'),
    })
    expect(server.seen).toEqual([])
  })

  it('is looked for elsewhere only where redirects are allowed', async () => {
    const server = await serve(({ url }, response) => {
      if (url !== '/old') return json(response, { openapi: '3.1.0', paths })
      response.writeHead(302, { location: '/new' }).end()
    })
    const document = `${server.origin}/old`
    await expect(adapterOf({ document }).discover()).rejects.toMatchObject({
      message: expect.stringContaining('the answer is 302'),
    })
    expect((await adapterOf({ document, redirects: 1 }).discover())('read')).toBeDefined()
  })

  it.each([
    [
      'an answer that says no',
      (response: ServerResponse) => json(response, {}, 404),
      'the answer is 404',
    ],
    [
      'no JSON and no YAML',
      (response: ServerResponse) => plainText(response, '{"a": [}'),
      'cannot be parsed',
    ],
    [
      'no document',
      (response: ServerResponse) => json(response, { a: 1 }),
      '/openapi.json" is not an OpenAPI document',
    ],
    [
      'a version that is not known',
      (response: ServerResponse) => plainText(response, '{ "openapi": "4.0.0" }'),
      '/openapi.json:1:14" is written in version 4.0.0',
    ],
  ])('%s is told, with the address', async (_what, answer, message) => {
    const server = await serve((_, response) => answer(response))
    const { discover } = adapterOf({ document: `${server.origin}/openapi.json` })
    await expect(discover()).rejects.toMatchObject({
      name: 'CallgateError',
      message: expect.stringContaining(message),
    })
  })

  it('that does not come is given up when the start is', async () => {
    const stop = new AbortController()
    const server = await serve(() => stop.abort())
    const { instance } = adapterOf({ document: `${server.origin}/openapi.json` })
    await expect(instance.start?.(stop.signal)).rejects.toThrow(/aborted/)
  })

  it('that could not be had can be had by the next attempt', async () => {
    let isUp = false
    const server = await serve((_, response) =>
      isUp ? json(response, { openapi: '3.1.0', paths }) : json(response, {}, 503),
    )
    const { discover } = adapterOf({ document: `${server.origin}/openapi.json` })
    await expect(discover()).rejects.toThrow(/503/)
    isUp = true
    expect((await discover())('read')).toBeDefined()
  })

  it('is fetched by the security check, which leaves no connection open', async () => {
    const server = await serveDocument({ openapi: '3.1.0', paths })
    const documents = [{ name: 'tickets', document: `${server.origin}/docs/openapi.json` }]
    const { tools } = await securityCheck({ documents, allow: ['127.0.0.1'] }, [], testHost())
    expect(tools).toHaveLength(1)
  })

  it.each([
    [{ document: 'https://' }, 'document-address'],
    [{ document: 'https://host.example/a', externalFiles: true }, 'external-files'],
  ])('%j is refused at set-up', (document, rule) => {
    const bound = httpAdapter({ documents: [{ name: 'tickets', ...document }] })
    expect(() => bound.create(testHost())).toThrow(expect.objectContaining({ rule }))
  })
})

function plainText(response: Parameters<typeof json>[0], text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}
