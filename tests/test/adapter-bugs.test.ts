import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { cliAdapter } from '@callgate/adapter-cli'
import { httpAdapter } from '@callgate/adapter-http'
import { createGateway, type Gateway } from '@callgate/core'
import type { ToolDefinition } from '@callgate/spec'
import { afterEach, describe, expect, it } from 'vitest'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

/** A server whose answers are given one by one, the last again and again. */
async function serve(
  ...answers: readonly ((response: ServerResponse) => void)[]
): Promise<{ readonly origin: string; readonly count: () => number }> {
  let count = 0
  const server = createServer((_, response) => {
    answers[Math.min(count++, answers.length - 1)]?.(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
  }
}

const status =
  (code: number, headers: { readonly [name: string]: string } = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers).end()
  }

/** A gateway with one tool, which asks for the origin. */
async function gatewayFor(origin: string, more: Partial<ToolDefinition>): Promise<Gateway> {
  const tool: ToolDefinition = {
    namespace: 'http::api',
    name: 'ask',
    description: 'Asks.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    retry: { maxRetries: 2, backoff: 'fixed', initialDelayMs: 1 },
    ...more,
    backend: { adapter: 'http', url: origin, ...more.backend },
  }
  const gateway = createGateway({
    adapters: [httpAdapter({ allow: ['127.0.0.1'] })],
    tools: [tool],
  })
  await gateway.start()
  open.push(() => gateway.close())
  return gateway
}

const ask = { name: 'http::api::ask', arguments: {} }
const readOnly = { effects: { readOnly: true } }

describe('faults of other tools that must not return, through a gateway', () => {
  it('bug-004: a program whose tool states no limit has that of the gateway', async () => {
    const gateway = createGateway({
      adapters: [cliAdapter({ graceMs: 100 })],
      policy: { timeoutMs: 300 },
      tools: [
        {
          namespace: 'local',
          name: 'hang',
          description: 'Never ends.',
          parameters: { type: 'object', properties: {} },
          backend: {
            adapter: 'cli',
            command: process.execPath,
            argsTemplate: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
          },
        },
      ],
    })
    open.push(() => gateway.close())
    await gateway.start()
    const startedAt = performance.now()
    const result = await gateway.dispatch({ name: 'hang', arguments: {} })
    expect(result.error).toMatchObject({ code: 'timeout' })
    expect(performance.now() - startedAt).toBeLessThan(2300)
  })

  it('bug-050: what is not idempotent is sent once', async () => {
    const { origin, count } = await serve(status(503))
    const gateway = await gatewayFor(origin, {
      effects: { idempotent: false },
      backend: { adapter: 'http', url: origin, method: 'POST' },
    })
    expect(await gateway.dispatch(ask)).toMatchObject({
      status: 'error',
      metadata: { attempts: 1 },
    })
    expect(count()).toBe(1)
  })

  it('bug-051: bad requests do not open the circuit for others', async () => {
    const bad = Array.from({ length: 6 }, () => status(400))
    const { origin } = await serve(...bad, status(200))
    const gateway = await gatewayFor(origin, readOnly)
    for (const _ of bad) {
      expect((await gateway.dispatch(ask)).error).toMatchObject({ code: 'tool_failed' })
    }
    expect(await gateway.dispatch(ask)).toMatchObject({ status: 'ok' })
  })

  it('bug-052: Retry-After is waited for', async () => {
    const { origin, count } = await serve(status(429, { 'retry-after': '1' }), status(200))
    const gateway = await gatewayFor(origin, readOnly)
    const startedAt = performance.now()
    const result = await gateway.dispatch(ask)
    expect(result).toMatchObject({ status: 'ok', metadata: { attempts: 2 } })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
    expect(count()).toBe(2)
  })

  it('bug-052: a Retry-After beyond the deadline of the call is told at once', async () => {
    const { origin } = await serve(status(429, { 'retry-after': '3600' }))
    const gateway = await gatewayFor(origin, readOnly)
    const startedAt = performance.now()
    const { error } = await gateway.dispatch(ask, { deadlineMs: 10_000 })
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000 })
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})
