import { afterEach, describe, expect, it } from 'vitest'

import { testAdapter } from './host.ts'
import { json, startServer, type Answerer, type TestServer } from './server.ts'
import { ticketsDocument } from './tickets.ts'

let server: TestServer
afterEach(() => server.close())

async function tickets(answer?: Answerer) {
  server = await startServer(answer)
  return testAdapter({
    documents: [{ name: 'tickets', document: ticketsDocument, server: `${server.origin}/v1` }],
    allow: ['127.0.0.1'],
  })
}

describe('a tool of a document', () => {
  it('sends path, query and body where the document puts them', async () => {
    const { discover, invoke } = await tickets()
    const tool = await discover()
    await invoke(tool('list'), { state: 'open', labels: ['a b', 'c'] })
    expect(server.last()).toMatchObject({
      method: 'GET',
      url: '/v1/tickets?state=open&labels=a%20b,c',
    })
    await invoke(tool('replace'), { id: 7, body: { title: 'New' } })
    expect(server.last()).toMatchObject({ method: 'PUT', url: '/v1/tickets/7' })
    expect(server.last().headers['content-type']).toBe('application/json')
    expect(JSON.parse(server.last().body.toString())).toEqual({ title: 'New' })
  })

  it('gives the JSON of a 2xx answer as its data', async () => {
    const { discover, invoke } = await tickets((_, response) => json(response, { id: 1 }, 201))
    const tool = await discover()
    expect(await invoke(tool('create'), { body: { title: 'x' } })).toMatchObject({
      data: { id: 1 },
      metadata: { status: 201 },
    })
  })

  it('keeps its connections for later calls', async () => {
    const { discover, invoke } = await tickets()
    const tool = await discover()
    for (let id = 0; id < 20; id += 1) await invoke(tool('get'), { id })
    expect(server.connections()).toBeLessThanOrEqual(2)
  })
})
