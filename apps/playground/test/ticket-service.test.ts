import { request } from 'node:http'
import { connect } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startTicketService, type TicketService } from '../src/ticket-service.ts'

let service: TicketService
beforeAll(async () => {
  service = await startTicketService(0)
})
afterAll(() => service.stop())

/** The status of the answer. */
function send(
  path: string,
  options: { readonly method?: string; readonly body?: string; readonly headers?: object } = {},
): Promise<number | undefined> {
  const { method = 'GET', body, headers } = options
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { ...headers } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('the ticket service', () => {
  it.each(['{bad', 'null', '', '5', '[]'])('answers the body %j with an error', async (body) => {
    expect([400, 422]).toContain(await send('/tickets', { method: 'POST', body }))
  })

  it('answers a path that is no path', async () => {
    expect(await send('//')).toBe(400)
  })

  it.each<object>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { host: 'evil.example:8080' },
  ])('refuses what comes from another site: %j', async (headers) => {
    const before = service.count()
    const body = '{"title":"x"}'
    expect(await send('/tickets', { method: 'POST', body, headers })).toBe(403)
    expect(await send('/tickets/1', { method: 'DELETE', headers })).toBe(403)
    expect(await send('/tickets', { headers })).toBe(403)
    expect(service.count()).toBe(before)
  })

  it('is reached as localhost too', async () => {
    const { port } = new URL(service.url)
    expect(await send('/tickets', { headers: { host: `localhost:${port}` } })).toBe(200)
  })

  it('stops in the middle of a request', async () => {
    const other = await startTicketService(0)
    const { hostname, port } = new URL(other.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(
      `POST /tickets HTTP/1.1\r\nhost: ${hostname}\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n{`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await other.stop()
    await closed
    expect(other.count()).toBe(2)
  })
})
