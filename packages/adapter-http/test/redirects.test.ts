import { describe, expect, it } from 'vitest'

import { declaredTool, testAdapter } from './host.ts'
import { serve } from './serve.ts'
import { json, type Answerer } from './server.ts'

const loopback = { allow: ['127.0.0.1'] }

const chain: Answerer = (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x')
  const to = searchParams.get('to')
  if (pathname === '/x' && to !== null) {
    response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end()
  } else json(response, { path: request.url, method: request.method })
}
const go = (origin: string, to: string, status = 302, extra: Record<string, unknown> = {}) =>
  declaredTool({
    baseUrl: origin,
    path: '/x',
    query: { to, status },
    redirects: 3,
    ...extra,
  })

describe('redirects (D11)', () => {
  it('are an answer of their own by default', async () => {
    const server = await serve(chain)
    const { invoke } = testAdapter(loopback)
    expect(await invoke(go(server.origin, '/y', 302, { redirects: 0 }))).toMatchObject({
      isError: true,
      data: { status: 302, location: '/y' },
    })
    expect(server.seen.length).toBe(1)
  })

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
    [302, 'PUT', 'PUT'],
  ])('%i after %s goes on with %s', async (status, method, next) => {
    const server = await serve(chain)
    const { invoke } = testAdapter(loopback)
    const tool = go(server.origin, '/y', status, { method, body: { content: { a: 1 } } })
    expect(await invoke(tool)).toMatchObject({ data: { path: '/y', method: next } })
    expect(server.last().body.length > 0).toBe(next === method)
  })

  it('send no credential to another origin', async () => {
    const [one, two] = [await serve(chain), await serve(chain)]
    const { invoke } = testAdapter(
      { ...loopback, ports: [one.port, two.port] },
      { KEY: 'k-secret' },
    )
    const auth = { type: 'apiKey', in: 'header', name: 'X-Api-Key', value: '{env:KEY}' }
    const headers = { 'x-own': '{env:KEY}' }
    const cookies = { sid: '{env:KEY}' }
    await invoke(go(one.origin, `${two.origin}/y`, 302, { auth, headers, cookies }))
    expect(one.last().headers['x-api-key']).toBe('k-secret')
    expect(two.last().url).toBe('/y')
    expect(JSON.stringify(two.last().headers)).not.toContain('k-secret')
  })

  it('send no body to another origin', async () => {
    const [one, two] = [await serve(chain), await serve(chain)]
    const { invoke } = testAdapter({ ...loopback, ports: [one.port, two.port] })
    const tool = go(one.origin, `${two.origin}/y`, 307, { method: 'POST', body: { content: 1 } })
    await expect(invoke(tool)).rejects.toMatchObject({ code: 'guard_refused', rule: 'redirect' })
    expect(two.seen).toEqual([])
  })

  it('are judged each', async () => {
    const server = await serve(chain)
    const { invoke } = testAdapter(loopback)
    for (const to of ['http://10.0.0.1/', 'file:///etc/passwd', 'http://u:p@127.0.0.1/']) {
      // oxlint-disable-next-line no-await-in-loop
      await expect(invoke(go(server.origin, to))).rejects.toMatchObject({ rule: 'redirect' })
    }
  })

  it('that are refused leave the connection usable', async () => {
    const server = await serve(chain)
    const { invoke } = testAdapter({ ...loopback, limits: { connections: 1 } })
    const bad = go(server.origin, 'http://10.0.0.1/')
    await expect(invoke(bad)).rejects.toMatchObject({ rule: 'redirect' })
    const worse = go(server.origin, 'http://x.example/', 307, {
      method: 'POST',
      body: { content: 1 },
    })
    await expect(invoke(worse)).rejects.toMatchObject({ rule: 'redirect' })
    expect(await invoke(go(server.origin, '/y'))).toMatchObject({ data: { path: '/y' } })
    expect(server.connections()).toBe(1)
  })

  it('end at the limit', async () => {
    const server = await serve((_, response) => {
      response.writeHead(302, { location: '/x' }).end()
    })
    const { invoke } = testAdapter(loopback)
    await expect(
      invoke(declaredTool({ baseUrl: server.origin, path: '/x', redirects: 3 })),
    ).rejects.toMatchObject({
      code: 'guard_refused',
      rule: 'redirect',
      started: 'yes',
    })
    expect(server.seen.length).toBe(4)
  })
})
