import { connect } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { declaredTool, testAdapter } from './host.ts'
import { startServer, type TestServer } from './server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer((request, response) => {
    if (request.url === '/busy') response.writeHead(429, { 'retry-after': '2' }).end()
    else response.end('ok')
  })
})
afterAll(() => server.close())

/** A document with one POST operation, served by the test server. */
async function operation(path: string, post: object, components: object = {}) {
  const document = { openapi: '3.0.3', paths: { [path]: { post } }, components }
  const { discover, invoke } = testAdapter({
    documents: [{ name: 'api', document, server: `${server.origin}/v1` }],
    allow: ['127.0.0.1'],
  })
  const tool = (await discover())('op')
  return { tool, send: (args: Record<string, unknown>) => invoke(tool, args) }
}

const idInPath = {
  operationId: 'op',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
}

describe('faults of other tools that must not return', () => {
  it('bug-035: ../ in a path value reaches no other operation', async () => {
    const { send } = await operation('/items/{id}', idInPath)
    await send({ id: '../../../admin/delete-all?' })
    expect(server.last().url).toBe('/v1/items/..%2F..%2F..%2Fadmin%2Fdelete-all%3F')
    await expect(send({ id: '..' })).rejects.toMatchObject({ rule: 'path-segment' })
  })

  it('bug-036: / ? # in a path value do not change the operation', async () => {
    const { send } = await operation('/items/{id}', idInPath)
    await send({ id: 'a?x=1#y/z' })
    expect(server.last().url).toBe('/v1/items/a%3Fx%3D1%23y%2Fz')
  })

  it('bug-037: deepObject parameters keep the name of their parameter', async () => {
    const { send } = await operation('/x', {
      operationId: 'op',
      parameters: [
        {
          name: 'filter',
          in: 'query',
          style: 'deepObject',
          explode: true,
          schema: { type: 'object' },
        },
      ],
    })
    await send({ filter: { eq: 'v' } })
    expect([...new URL(server.last().url, 'http://x').searchParams]).toEqual([['filter[eq]', 'v']])
  })

  it('bug-039: a body hides no query parameter of the same name', async () => {
    const { tool, send } = await operation('/x', {
      operationId: 'op',
      parameters: [{ name: 'body', in: 'query', schema: { type: 'string' } }],
      requestBody: {
        content: { 'application/json': { schema: { title: 'body', type: 'array', items: {} } } },
      },
    })
    expect(tool.parameters).toMatchObject({ properties: { body: {}, request_body: {} } })
    await send({ body: 'q', request_body: [1] })
    expect(server.last().url).toBe('/v1/x?body=q')
    expect(server.last().body.toString()).toBe('[1]')
  })

  it('bug-040: a body that is a list is sent whole', async () => {
    const { send } = await operation('/x', {
      operationId: 'op',
      requestBody: { content: { 'application/json': { schema: { type: 'array' } } } },
    })
    await send({ body: ['a', 'b'] })
    expect(server.last().body.toString()).toBe('["a","b"]')
  })

  it('bug-041: a schema that refers to itself is kept as a reference', async () => {
    const Comment = {
      type: 'object',
      properties: { parent: { $ref: '#/components/schemas/Comment' } },
    }
    const { tool } = await operation(
      '/x',
      {
        operationId: 'op',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Comment' } } },
        },
      },
      { schemas: { Comment } },
    )
    expect(tool.parameters).toMatchObject({
      properties: { body: { $ref: '#/$defs/Comment' } },
      $defs: { Comment: { properties: { parent: { $ref: '#/$defs/Comment' } } } },
    })
  })

  it('bug-046: a range is refused by name, and the operator may allow it', async () => {
    const network = {
      resolve: async () => ['198.18.0.170'],
      connect: async () => connect(server.port, '127.0.0.1'),
    }
    const tool = declaredTool({ url: 'http://public.example/' })
    await expect(testAdapter({ network }).invoke(tool)).rejects.toMatchObject({
      rule: 'dns',
      message: expect.stringContaining('198.18.0.0/15'),
    })
    const allowed = testAdapter({ network, allow: ['198.18.0.0/15'] })
    expect(await allowed.invoke(tool)).toMatchObject({ content: [{ text: 'ok' }] })
  })

  it('bug-052: Retry-After of a 429 is told', async () => {
    const { invoke } = testAdapter({ allow: ['127.0.0.1'] })
    await expect(invoke(declaredTool({ url: `${server.origin}/busy` }))).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 2000,
    })
  })
})
