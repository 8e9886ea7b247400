import { readFileSync } from 'node:fs'
import {
  createServer,
  get as httpGet,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { createServer as createHttpsServer, get as httpsGet } from 'node:https'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import process from 'node:process'

import { describe, expect, it, onTestFinished } from 'vitest'

import type { HttpAuth, HttpServer } from '../src/index.ts'
import { startFakeAuth } from './fixtures/fake-auth.ts'
import { startFakeHttp, stream } from './fixtures/fake-http.ts'
import { type Running, start, stubHost, until } from './host.ts'
import { connected, healthOf, onCall } from './http.ts'

const cert = readFileSync(new URL('fixtures/self-signed-cert.pem', import.meta.url), 'utf8')
const key = readFileSync(new URL('fixtures/self-signed-key.pem', import.meta.url), 'utf8')

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

/** Sets variables of the environment until the test ends. */
function environment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value
    onTestFinished(() => void delete process.env[name])
  }
}

/** A proxy that forwards, tunnels, and takes down what it was asked for. */
async function proxy(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((incoming, outgoing) => {
    seen.push(String(incoming.url))
    const { method = '', headers } = incoming
    const forwarded = httpRequest(String(incoming.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  })
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${String(incoming.url)}`)
    const [host = '', port] = String(incoming.url).split(':')
    const tunnel = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(tunnel).pipe(socket)
    })
    for (const each of [socket, tunnel]) {
      sockets.add(each)
      each.on('error', () => undefined)
    }
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${String(port)}`, seen }
}

/** The fake behind TLS; `url` is its address there. */
async function behindTls(more: object = {}): Promise<string> {
  const fake = await startFakeHttp()
  const { port: target } = new URL(fake.url)
  const server = createHttpsServer({ cert, key, ...more }, (incoming, outgoing) => {
    const { method = '', headers, url } = incoming
    const options = { host: '127.0.0.1', port: target, path: url, method, headers }
    incoming.pipe(
      httpRequest(options, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      }),
    )
  })
  const port = await listen(server)
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await fake.close()
  })
  return `https://localhost:${String(port)}/mcp`
}

async function running(server: HttpServer, secrets = {}): Promise<Running> {
  const made = await start({ servers: { s: { era: '2025', ...server } } }, stubHost(secrets))
  onTestFinished(() => made.adapter.stop?.({ graceMs: 100 }))
  return made
}

describe('a proxy of the environment', () => {
  it('is used for plain HTTP', async () => {
    const { url, seen } = await proxy()
    environment({ HTTP_PROXY: url })
    const { call, fake } = await connected([], { era: '2025' })
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(new Set(seen)).toEqual(new Set([fake.url]))
  })

  it('is used for HTTPS by a tunnel', async () => {
    const { url, seen } = await proxy()
    environment({ HTTPS_PROXY: url })
    const server = await behindTls()
    const { call } = await running({ url: server, tls: { ca: cert } })
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(seen[0]).toBe(`CONNECT ${new URL(server).host}`)
  })

  it('is not used for a host of NO_PROXY', async () => {
    const { url, seen } = await proxy()
    environment({ HTTP_PROXY: url, NO_PROXY: '127.0.0.1' })
    const { call } = await connected([], { era: '2025' })
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(seen).toEqual([])
  })

  it('that is not there means that nothing was sent', async () => {
    environment({ HTTP_PROXY: 'http://127.0.0.1:1' })
    const { call } = await connected([], { era: '2025' })
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
  })
})

describe('an authorization', () => {
  /** A user whose browser goes to the page, with the certificate or without, and comes back. */
  const oauth = (ca?: string): HttpAuth => ({
    kind: 'oauth',
    redirectUrl: 'http://127.0.0.1:23119/callback',
    authorize: async ({ url }) => {
      const back = await new Promise<string>((resolve) => {
        const get = url.protocol === 'https:' ? httpsGet : httpGet
        get(url, ca === undefined ? {} : { ca }, ({ headers }) => resolve(String(headers.location)))
      })
      await fetch(back)
    },
  })

  it('goes through the proxy, too', async () => {
    const { url, seen } = await proxy()
    environment({ HTTP_PROXY: url })
    const fake = await startFakeAuth()
    onTestFinished(() => fake.close())
    const { call } = await running({ url: fake.url, auth: oauth() })
    expect((await call('s.echo')).data).toBe('echo {}')
    expect(seen).toContain(`${fake.origin}/token`)
    expect(seen).toContain(`${fake.origin}/.well-known/oauth-protected-resource/mcp`)
  })

  it('trusts the authority of its server, too', async () => {
    const fake = await startFakeAuth({ tls: { cert, key } })
    onTestFinished(() => fake.close())
    const { call } = await running({ url: fake.url, auth: oauth(cert), tls: { ca: cert } })
    expect((await call('s.echo')).data).toBe('echo {}')
  })
})

describe('a server behind a certificate', () => {
  it('that nobody vouches for is not talked to', async () => {
    const made = await running({ url: await behindTls() })
    expect((await healthOf(made))?.reason).toMatch(/self[- ]signed certificate/)
    await expect(made.call('s.echo')).rejects.toMatchObject({ started: 'no' })
  })

  it('of an authority of one’s own is talked to', async () => {
    const { call } = await running({ url: await behindTls(), tls: { ca: cert } })
    expect((await call('s.echo')).data).toBe('echo {}')
  })

  it('that wants one of its clients gets it, with a key that is a secret', async () => {
    const url = await behindTls({ requestCert: true, ca: cert })
    const refused = await running({ url, tls: { ca: cert } })
    expect((await healthOf(refused))?.state).toBe('down')
    const { call } = await running({ url, tls: { ca: cert, cert, key: '{env:KEY}' } }, { KEY: key })
    expect((await call('s.echo')).data).toBe('echo {}')
  })
})

describe('connections', () => {
  it('are used again, and as many as there are calls at once', async () => {
    const ports = new Set<number | undefined>()
    const { call } = await connected(
      [
        ({ request }) => {
          ports.add(request.socket.remotePort)
          return undefined
        },
      ],
      { era: '2025' },
    )
    for (let round = 0; round < 20; round += 1) await call('s.echo')
    expect(ports.size).toBeLessThanOrEqual(3)
    await Promise.all(Array.from({ length: 16 }, () => call('s.echo')))
    expect(ports.size).toBeGreaterThanOrEqual(8)
  })

  it('end with the call that is stopped', async () => {
    let closed = false
    const { call } = await connected(
      [
        onCall((exchange) => {
          stream(exchange)
          exchange.response.on('close', () => (closed = true))
          return true
        }),
      ],
      { era: '2025' },
    )
    const stop = new AbortController()
    const ended = call('s.echo', {}, { signal: stop.signal }).catch((error: unknown) => error)
    stop.abort()
    expect(await ended).toMatchObject({ code: 'cancelled' })
    await expect(call('s.echo', {}, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: 'cancelled',
      started: 'unknown',
    })
    await until(() => closed)
  })
})

describe('headers that cannot be made', () => {
  it('mean that nothing was sent, and their reason is told', async () => {
    let broken = false
    const { call, fake } = await connected([], {
      era: '2025',
      headers: () => {
        if (broken) throw new Error('the vault is sealed')
        return { 'x-key': '1' }
      },
    })
    const before = fake.recorded.length
    broken = true
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
      message: expect.stringContaining('the vault is sealed') as string,
    })
    expect(fake.recorded.length).toBe(before)
  })
})
