import { onTestFinished } from 'vitest'

import type { HttpServer } from '../src/index.ts'
import { type Exchange, type FakeHttp, type Mode, startFakeHttp } from './fixtures/fake-http.ts'
import { type Running, start, stubHost, type StubHost } from './host.ts'

export interface Connected extends Running {
  readonly fake: FakeHttp
}

/** A fake server with modes, and an adapter over it as server `s`; both end with the test. */
export async function connected(
  modes: readonly Mode[],
  more: Partial<HttpServer> = {},
  host: StubHost = stubHost(),
): Promise<Connected> {
  const fake = await startFakeHttp(...modes)
  onTestFinished(() => fake.close())
  const running = await start({ servers: { s: { url: fake.url, ...more } } }, host)
  onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
  return { ...running, fake }
}

/** Answers calls of tools only. */
export function onCall(run: (exchange: Exchange) => boolean | undefined): Mode {
  return (exchange) => (exchange.body['method'] === 'tools/call' ? run(exchange) : undefined)
}

export async function healthOf({
  adapter,
}: Running): Promise<{ readonly state: string; readonly reason?: string } | undefined> {
  return adapter.health?.(new AbortController().signal)
}

/** The JSON-RPC methods that a fake saw, and the HTTP methods of requests without one. */
export function methodsOf({ recorded }: FakeHttp): string[] {
  return recorded.map(({ method, body }) =>
    typeof body['method'] === 'string' ? body['method'] : method,
  )
}
