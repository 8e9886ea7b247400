import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished } from 'vitest'

import { declaredTool, testAdapter, testContext } from './host.ts'
import { latch } from './latch.ts'
import { serve } from './serve.ts'
import { json, startServer } from './server.ts'

/** A server that speaks no HTTP: it does what it is told with the raw connection. */
async function rawServer(onData: (write: (text: string) => void, end: () => void) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      onData(
        (text) => socket.write(text),
        () => socket.destroy(),
      ),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const get = (origin: string, extra: Record<string, unknown> = {}) =>
  declaredTool({ baseUrl: origin, path: '/x', ...extra })

const loopback = { allow: ['127.0.0.1'] }

describe('statuses (R8.3, R10.1)', () => {
  it.each([400, 401, 403, 404, 409, 422])('%i is the word of the tool itself', async (status) => {
    const server = await serve((_, response) => json(response, { code: 'no' }, status))
    const { invoke } = testAdapter(loopback)
    expect(await invoke(get(server.origin))).toMatchObject({
      isError: true,
      data: { status, body: { code: 'no' } },
    })
  })

  it('shows a body that says JSON and is none with the same note as a success', async () => {
    const server = await serve((_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"a":')
    })
    const { invoke } = testAdapter(loopback)
    expect(await invoke(get(server.origin))).toMatchObject({
      isError: true,
      data: { status: 404, body: '{"a":' },
      content: [
        { text: '404 Not Found.\n{"a":' },
        { text: '[announced as JSON, but it does not parse]' },
      ],
    })
  })

  it.each([
    [429, 'rate_limited', 'no'],
    [408, 'backend_error', 'yes'],
    [500, 'backend_error', 'yes'],
    [503, 'backend_error', 'yes'],
  ])('%i is %s', async (status, code, started) => {
    const server = await serve((_, response) => {
      response.writeHead(status, { 'retry-after': '2', 'content-type': 'application/problem+json' })
      response.end('{"detail":"come back later"}')
    })
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(server.origin))).rejects.toMatchObject({
      code,
      started,
      retryAfterMs: 2000,
      message: expect.stringContaining('come back later'),
      backend: { code: status, data: { detail: 'come back later' } },
    })
  })

  it('reads a Retry-After that is a date', async () => {
    const at = new Date(Date.now() + 60_000).toUTCString()
    const server = await serve((_, response) => {
      response.writeHead(503, { 'retry-after': at }).end()
    })
    const { invoke } = testAdapter(loopback)
    const failure = await invoke(get(server.origin)).catch((cause: unknown) => cause)
    const { retryAfterMs = 0 } = failure as { retryAfterMs?: number }
    expect(retryAfterMs).toBeGreaterThan(55_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  it.each([
    ['1.5', 1500],
    ['0', 0],
    ['-5', undefined],
    ['soon', undefined],
  ])('reads "%s" as a Retry-After of %s ms', async (header, wanted) => {
    const server = await serve((_, response) => {
      response.writeHead(503, { 'retry-after': header }).end()
    })
    const { invoke } = testAdapter(loopback)
    const failure = await invoke(get(server.origin)).catch((cause: unknown) => cause)
    expect((failure as { retryAfterMs?: number }).retryAfterMs).toBe(wanted)
  })

  it('sends once: retries are the core’s', async () => {
    const server = await serve((_, response) => json(response, {}, 500))
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(server.origin))).rejects.toMatchObject({ code: 'backend_error' })
    expect(server.seen.length).toBe(1)
  })

  it('gives status and place where an answer has no body', async () => {
    const server = await serve((_, response) => {
      response.writeHead(201, { location: '/x/7' }).end()
    })
    const { invoke } = testAdapter(loopback)
    expect(await invoke(get(server.origin, { method: 'POST' }))).toMatchObject({
      data: { status: 201, location: '/x/7' },
      metadata: { status: 201, headers: { location: '/x/7' } },
    })
  })
})

describe('faults of the transport', () => {
  it('a server that is not there: nothing was started', async () => {
    const server = await startServer()
    await server.close()
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(server.origin))).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
      message: `127.0.0.1:${server.port} cannot be reached: nothing listens there.`,
    })
  })

  it('a name without an address: nothing was started', async () => {
    const { invoke } = testAdapter({
      network: {
        resolve: async () => {
          throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
        },
      },
    })
    await expect(invoke(get('http://nowhere.example'))).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
  })

  it.each([
    ['that of TLS', '\u0015\u0003\u0001\u0000\u0002'],
    ['one of two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['one with long headers', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('says of an answer that it cannot be read: %s', async (_, answer) => {
    const origin = await rawServer((write) => write(answer))
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(origin))).rejects.toMatchObject({
      code: 'backend_error',
      message: expect.stringContaining('sent an answer that cannot be read'),
      started: 'unknown',
    })
  })

  it('a connection that ends without an answer: nobody knows', async () => {
    const origin = await rawServer((_, end) => end())
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(origin))).rejects.toMatchObject({
      code: 'backend_error',
      started: 'unknown',
    })
  })

  it('an answer that breaks off: it had started', async () => {
    const origin = await rawServer((write, end) => {
      write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')
      end()
    })
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(origin))).rejects.toMatchObject({
      code: 'backend_error',
      started: 'yes',
    })
  })

  it('a certificate that nobody vouches for: nothing was sent', async () => {
    const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url))
    let requests = 0
    const server = createTlsServer(
      { key: fixture('self-signed-key.pem'), cert: fixture('self-signed-cert.pem') },
      () => {
        requests += 1
      },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(`https://127.0.0.1:${port}`))).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
      message: `127.0.0.1:${port} cannot be reached: its certificate is not valid.`,
    })
    expect(requests).toBe(0)
  })

  it('an answer that is no HTTP', async () => {
    const origin = await rawServer((write) => write('SSH-2.0-x\r\n\r\n'))
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(origin))).rejects.toMatchObject({ code: 'backend_error' })
  })

  it('a server that is silent', async () => {
    const origin = await rawServer(() => undefined)
    const { invoke } = testAdapter({ ...loopback, limits: { headersTimeoutMs: 50 } })
    await expect(invoke(get(origin))).rejects.toMatchObject({ code: 'timeout', started: 'unknown' })
  })

  it('a body that stops coming', async () => {
    const origin = await rawServer((write) =>
      write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
    )
    const { invoke } = testAdapter({ ...loopback, limits: { idleTimeoutMs: 50 } })
    await expect(invoke(get(origin))).rejects.toMatchObject({ code: 'timeout', started: 'yes' })
  })
})

describe('stopping', () => {
  it('a signal that is aborted already sends nothing', async () => {
    const server = await serve()
    const { invoke } = testAdapter(loopback)
    const context = testContext(AbortSignal.abort())
    await expect(invoke(get(server.origin), {}, context)).rejects.toMatchObject({
      code: 'cancelled',
      started: 'no',
    })
    expect(server.seen).toEqual([])
  })

  it('while the server works: nobody knows, and the server sees it', async () => {
    const stop = new AbortController()
    const closed = latch()
    const server = await serve((_, response) => {
      response.on('close', () => closed.open())
      stop.abort()
    })
    const { invoke } = testAdapter(loopback)
    await expect(invoke(get(server.origin), {}, testContext(stop.signal))).rejects.toMatchObject({
      code: 'cancelled',
      started: 'unknown',
    })
    await closed.opened
  })

  it('while the connection is opened: at once, and nothing was sent', async () => {
    const stop = new AbortController()
    const server = await serve()
    const { invoke } = testAdapter({
      network: {
        resolve: async () => {
          stop.abort()
          return new Promise(() => undefined)
        },
      },
    })
    const tool = get('http://slow.example')
    await expect(invoke(tool, {}, testContext(stop.signal))).rejects.toMatchObject({
      code: 'cancelled',
      started: 'no',
    })
    expect(server.seen).toEqual([])
  })

  it('while the answer comes', async () => {
    const stop = new AbortController()
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const { invoke } = testAdapter(loopback)
    const context = testContext(stop.signal)
    const watched = { ...context, progress: () => stop.abort() }
    await expect(invoke(get(server.origin), {}, watched)).rejects.toMatchObject({
      code: 'cancelled',
      started: 'yes',
    })
  })

  it('stop waits for what is running, then breaks it off', async () => {
    const arrived = latch()
    const server = await serve(() => arrived.open())
    const { instance, invoke } = testAdapter(loopback)
    const running = invoke(get(server.origin)).catch((cause: unknown) => cause)
    await arrived.opened
    await instance.stop?.({ graceMs: 1 })
    expect(await running).toMatchObject({ code: 'backend_error', started: 'unknown' })
  })
})
