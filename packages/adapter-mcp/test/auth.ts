import { createServer, type Server } from 'node:net'

import { beforeAll, onTestFinished } from 'vitest'

import type { HttpAuth, TokenStore } from '../src/index.ts'
import { type FakeAuth, startFakeAuth } from './fixtures/fake-auth.ts'
import { type Running, start } from './host.ts'

/** Ports that nobody listens at, for browsers to come back to. */
const ports: number[] = []
beforeAll(async () => {
  while (ports.length < 32) ports.push(await freePort())
})

/** A user whose browser goes to the page and comes back, at once. */
export function user(store: TokenStore, more: object = {}): HttpAuth {
  return {
    kind: 'oauth',
    store,
    redirectUrl: `http://127.0.0.1:${String(ports.pop())}/callback`,
    authorize: async ({ url }) => {
      await fetch(url)
    },
    ...more,
  }
}

/** Below the ports that systems give to whoever asks for any: another test would soon have one of those. */
function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000)
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1', () => {
      server.close(() => resolve(port))
    })
    server.on('error', () => resolve(freePort()))
  })
}

/** Another program at the address that the browser comes back to; it ends with the test. */
export async function portTaken(auth: HttpAuth): Promise<Server> {
  const { port } = new URL(String((auth as { redirectUrl?: string }).redirectUrl))
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => {
    server.listen(Number(port), '127.0.0.1', resolve)
  })
  return server
}

export async function fakeAuth(options: object = {}): Promise<FakeAuth> {
  const fake = await startFakeAuth(options)
  onTestFinished(() => fake.close())
  return fake
}

export async function running(fake: FakeAuth, auth: HttpAuth): Promise<Running> {
  const adapter = await start({ servers: { s: { url: fake.url, era: '2025', auth } } })
  onTestFinished(() => adapter.adapter.stop?.({ graceMs: 100 }))
  return adapter
}
