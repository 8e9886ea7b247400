import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { httpAdapter, type HttpAdapterOptions } from '@callgate/adapter-http'
import { createGateway, type Gateway } from '@callgate/core'
import type { ToolDefinition } from '@callgate/spec'
import { afterEach, describe, expect, it } from 'vitest'

const document = {
  openapi: '3.1.0',
  paths: {
    '/tickets/{id}': {
      get: {
        operationId: 'get',
        summary: 'Read a ticket',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
      },
    },
    '/tickets': {
      post: {
        operationId: 'create',
        summary: 'Create a ticket',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { title: { type: 'string' }, priority: { type: 'integer' } },
                required: ['title'],
              },
            },
          },
        },
      },
    },
  },
}

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void

async function serve(answer: Answer): Promise<{ origin: string; urls: string[] }> {
  const urls: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      urls.push(`${request.method} ${request.url}`)
      answer(request, body, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, urls }
}

async function gatewayFor(
  options: HttpAdapterOptions,
  tools: readonly ToolDefinition[] = [],
): Promise<Gateway> {
  const gateway = createGateway({
    adapters: [httpAdapter(options)],
    tools,
    secrets: (name) => (name === 'TOKEN' ? 'secret-token-1' : undefined),
  })
  await gateway.start()
  open.push(() => gateway.close())
  return gateway
}

const tickets = (server: string, more: object = {}): HttpAdapterOptions => ({
  documents: [{ name: 'tickets', document, server, ...more }],
  allow: ['127.0.0.1'],
})

const echo: Answer = (_, body, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ got: body === '' ? null : JSON.parse(body) }))
}

describe('HTTP tools behind the gateway (R8.3)', () => {
  it('are found under the names of adapter and document, with their isolation', async () => {
    const { origin } = await serve(echo)
    const gateway = await gatewayFor(tickets(origin))
    expect(gateway.registry.get('http::tickets::create')?.description).toBe('Create a ticket')
    expect(gateway.registry.wireName('http::tickets::create')).toBe('http__tickets__create')
    expect(await gateway.health()).toEqual([
      { adapter: 'http', isolation: 'connection', state: 'ok' },
    ])
  })

  it('are run by the adapter under the name it was given', async () => {
    const { origin, urls } = await serve(echo)
    const options = { ...tickets(origin), name: 'crm' }
    const gateway = await gatewayFor(options)
    const result = await gateway.dispatch({ name: 'crm::tickets::get', arguments: { id: 7 } })
    expect(result.status).toBe('ok')
    expect(urls).toEqual(['GET /tickets/7'])
  })

  it('get repaired arguments', async () => {
    const { origin, urls } = await serve(echo)
    const gateway = await gatewayFor(tickets(origin))
    const read = await gateway.dispatch({ name: 'http::tickets::get', arguments: '{"id":"7"}' })
    expect(read.status).toBe('ok')
    const made = await gateway.dispatch({
      name: 'http::tickets::create',
      arguments: { body: '{"title":"x","priority":"2"}' },
    })
    expect(made.data).toEqual({ got: { title: 'x', priority: 2 } })
    expect(urls).toEqual(['GET /tickets/7', 'POST /tickets'])
  })

  it('refuse unknown arguments and wrong types before anything is sent', async () => {
    const { origin, urls } = await serve(echo)
    const gateway = await gatewayFor(tickets(origin))
    for (const args of [{ id: 1, headers: { 'X-Evil': '1' } }, { id: ['a', 'b'] }, {}]) {
      // oxlint-disable-next-line no-await-in-loop
      const result = await gateway.dispatch({ name: 'http::tickets::get', arguments: args })
      expect(result.error?.code).toBe('invalid_arguments')
    }
    expect(urls).toEqual([])
  })

  it('name the rule of the guard', async () => {
    const { origin } = await serve(echo)
    const gateway = await gatewayFor(tickets(origin))
    const result = await gateway.dispatch({
      name: 'http::tickets::get',
      arguments: { id: 1, 'X-Trace': 'a\r\nX-Admin: 1' },
    })
    expect(result).toMatchObject({
      status: 'denied',
      error: { code: 'guard_refused', rule: 'header-value', parameter: 'X-Trace' },
      metadata: { outcome: 'not_started', attempts: 1 },
    })
  })

  it('show the model what a 404 says', async () => {
    const { origin } = await serve((_, __, response) => {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"message":"no ticket 7"}')
    })
    const gateway = await gatewayFor(tickets(origin))
    const result = await gateway.dispatch({ name: 'http::tickets::get', arguments: { id: 7 } })
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'tool_failed', message: '404 Not Found: no ticket 7' },
      data: { status: 404, body: { message: 'no ticket 7' } },
      metadata: { outcome: 'done', attempts: 1 },
    })
  })

  it('are repeated by the core where that is safe, and not where it is not', async () => {
    let count = 0
    const { origin, urls } = await serve((_, body, response) => {
      count += 1
      if (count % 2 === 1) response.writeHead(503, { 'retry-after': '0' }).end()
      else echo(_, body, response)
    })
    const gateway = await gatewayFor(tickets(origin))
    for (const id of ['http::tickets::get', 'http::tickets::create']) {
      const definition = gateway.registry.get(id)
      if (definition === undefined) throw new Error(id)
      gateway.registry.remove(id)
      gateway.registry.add({
        ...definition,
        retry: { maxRetries: 2, backoff: 'fixed', initialDelayMs: 1 },
      })
    }
    const read = await gateway.dispatch({ name: 'http::tickets::get', arguments: { id: 7 } })
    expect(read).toMatchObject({ status: 'ok', metadata: { attempts: 2 } })
    const made = await gateway.dispatch({
      name: 'http::tickets::create',
      arguments: { body: { title: 'x' } },
    })
    expect(made).toMatchObject({ status: 'error', error: { code: 'backend_error' } })
    expect(urls).toHaveLength(3)
  })

  it('end at the timeout, and nobody knows about a write', async () => {
    const { origin } = await serve(() => undefined)
    const gateway = await gatewayFor(tickets(origin))
    const definition = gateway.registry.get('http::tickets::create')
    if (definition === undefined) throw new Error('no tool')
    gateway.registry.remove('http::tickets::create')
    gateway.registry.add({ ...definition, timeoutMs: 50 })
    const result = await gateway.dispatch({
      name: 'http::tickets::create',
      arguments: { body: { title: 'x' } },
    })
    expect(result).toMatchObject({ error: { code: 'timeout' }, metadata: { outcome: 'unknown' } })
  })

  it('keep secrets out of results', async () => {
    const { origin } = await serve((request, _, response) => {
      response.end(`you sent ${request.headers.authorization}`)
    })
    const auth = { type: 'bearer', token: '{env:TOKEN}' }
    const gateway = await gatewayFor(tickets(origin, { auth }))
    const result = await gateway.dispatch({ name: 'http::tickets::get', arguments: { id: 7 } })
    expect(result.status).toBe('ok')
    expect(JSON.stringify(result)).not.toContain('secret-token-1')
  })

  it('of a server that is not there leave the gateway alone', async () => {
    const gateway = await gatewayFor(tickets('http://127.0.0.1:1'))
    const result = await gateway.dispatch({
      name: 'http::tickets::create',
      arguments: { body: { title: 'x' } },
    })
    expect(result).toMatchObject({
      error: { code: 'backend_unavailable' },
      metadata: { outcome: 'not_started' },
    })
  })
})

const tool = (backend: object): ToolDefinition => ({
  namespace: 'http::own',
  name: 'tool',
  description: 'A tool declared by hand.',
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
  backend: { adapter: 'http', ...backend },
})

describe('set-up', () => {
  it('takes a tool declared by hand', async () => {
    const { origin, urls } = await serve(echo)
    const gateway = await gatewayFor({ allow: ['127.0.0.1'] }, [
      tool({ url: `${origin}/things/{id}` }),
    ])
    const result = await gateway.dispatch({ name: 'http::own::tool', arguments: { id: 'a/b' } })
    expect(result.status).toBe('ok')
    expect(urls).toEqual(['GET /things/a%2Fb'])
  })

  it('refuses an unknown word and a wrong type of a backend block', () => {
    for (const backend of [{ url: 'https://h.example/', quary: {} }, { url: 7 }]) {
      const make = () => createGateway({ adapters: [httpAdapter({})], tools: [tool(backend)] })
      expect(make).toThrow(expect.objectContaining({ rule: 'backend', where: 'http::own::tool' }))
    }
  })

  it('refuses unknown options', () => {
    const options = { document: 'x.yaml' } as HttpAdapterOptions
    expect(() => createGateway({ adapters: [httpAdapter(options)] })).toThrow(
      expect.objectContaining({ rule: 'adapter-options' }),
    )
  })

  it('says why a document cannot be used, and leaves the rest alone', async () => {
    const broken = { documents: [{ name: 'x', document: '/nowhere/x.yaml' }] }
    const gateway = await gatewayFor(broken)
    expect(await gateway.health()).toMatchObject([
      { state: 'down', reason: expect.stringContaining('/nowhere/x.yaml cannot be read') },
    ])
  })
})
