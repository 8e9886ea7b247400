import { describe, expect, it } from 'vitest'

import { checkContract } from '../../src/openapi/contract.ts'
import { documentSources, findDocument, readDocument } from '../../src/openapi/documents.ts'
import { startMock } from '../../src/openapi/mock/server.ts'

const every = process.env['CI'] ? 1 : 5
const documents = await Promise.all(
  documentSources.map(async (source) => ({ ...source, ...(await findDocument(source)) })),
)

describe('operations of real documents, called at a server that is made of the same document', () => {
  let calledInAll = 0
  for (const { name, path, missing } of documents) {
    const why = missing === undefined ? '' : ` (${missing})`
    it.skipIf(missing !== undefined)(
      `${name}${why}`,
      async () => {
        const report = await checkContract((await readDocument(path!)) as object, every)
        const { called, unsampled, faults } = report
        calledInAll += called
        console.log(`${name}: ${called} operations called, ${unsampled.length} not`, ...unsampled)
        expect(faults).toEqual([])
        expect(unsampled.length).toBeLessThan(5)
      },
      240_000,
    )
  }

  it('are at least two hundred', () => {
    expect(calledInAll).toBeGreaterThanOrEqual(200)
  })
})

describe('the server that is made of a document', () => {
  const text = { type: 'string' }
  const document = {
    openapi: '3.1.0',
    paths: {
      '/items/{id}': {
        put: {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'x-key', in: 'header', required: true, schema: text },
            { name: 'tags', in: 'query', schema: { type: 'array', items: text, maxItems: 2 } },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'object', properties: { name: text }, required: ['name'] },
              },
            },
          },
          responses: {
            '201': { content: { 'application/json': { schema: { const: { made: true } } } } },
          },
        },
      },
    },
  }
  const good = { path: '/items/7?tags=a&tags=b', method: 'PUT', key: 'k', type: 'application/json' }

  async function send(change: Partial<typeof good>, body: unknown = { name: 'n' }) {
    const { path, method, key, type } = { ...good, ...change }
    const mock = await startMock(document)
    try {
      const response = await fetch(`${mock.address}${path}`, {
        method,
        headers: { ...(key === '' ? {} : { 'x-key': key }), 'content-type': type },
        body: JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    } finally {
      await mock.close()
    }
  }

  it('answers a request that fits by the schema of the response', async () => {
    expect(await send({})).toEqual({ status: 201, text: '{"made":true}' })
  })

  it.each([
    ['another method', { method: 'POST' }, undefined],
    ['another path', { path: '/things/7' }, undefined],
    ['a path value of another type', { path: '/items/seven' }, undefined],
    ['a header that is missing', { key: '' }, undefined],
    ['a query that is not declared', { path: '/items/7?more=1' }, undefined],
    ['a query that is too long', { path: '/items/7?tags=a&tags=b&tags=c' }, undefined],
    ['another media type', { type: 'text/plain' }, undefined],
    ['a body that does not fit', {}, { title: 'n' }],
  ])('refuses %s', async (_what, change, body) => {
    expect(await send(change, body)).toMatchObject({ status: 400 })
  })
})
