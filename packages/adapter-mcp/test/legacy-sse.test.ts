import type { ServerResponse } from 'node:http'

import { describe, expect, it } from 'vitest'

import {
  type Exchange,
  type FakeHttp,
  type Json,
  type Mode,
  refuse,
  stream,
  text,
} from './fixtures/fake-http.ts'
import { connected, healthOf, methodsOf } from './http.ts'

function answersOf(server: FakeHttp): Record<string, object> {
  return {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': { tools: server.tools },
    'tools/call': text('old answer'),
  }
}

describe('the transport of 2024-11-05', () => {
  const legacy =
    (endpoint: (exchange: Exchange) => string | undefined): Mode =>
    (exchange) => {
      const { method, path, body, server } = exchange
      if (path === '/mcp' && method === 'GET') {
        const send = stream(exchange)
        streams.set(server, send)
        const at = endpoint(exchange)
        if (at !== undefined) send(at, { event: 'endpoint' })
        return true
      }
      if (path !== '/messages') return undefined
      refuse(exchange, 202, 'Accepted')
      const answer = answersOf(server)[String(body['method'])]
      if (answer !== undefined) {
        streams.get(server)?.(
          { jsonrpc: '2.0', id: body['id'], result: answer },
          { event: 'message' },
        )
      }
      return true
    }
  const streams = new Map<FakeHttp, (data: unknown, fields?: Json) => void>()
  it.each([
    ['405', (exchange: Exchange) => refuse(exchange, 405)],
    ['404', (exchange: Exchange) => refuse(exchange, 404)],
    [
      'an endpoint event',
      (exchange: Exchange) => {
        stream(exchange)('/messages', { event: 'endpoint' })
        return true
      },
    ],
  ])('is taken where a POST is answered with %s (sse-fallback-quirks)', async (_what, answer) => {
    const { call, fake } = await connected(
      [
        (exchange) =>
          exchange.path === '/mcp' && exchange.method === 'POST' ? answer(exchange) : undefined,
        legacy(() => '/messages'),
      ],
      { headers: { 'x-key': 'k' } },
    )
    expect((await call('s.echo')).data).toBe('old answer')
    expect(fake.recorded.every(({ headers }) => headers['x-key'] === 'k')).toBe(true)
  })

  it('may be chosen', async () => {
    const { call } = await connected([legacy(() => '/messages')], { era: 'sse' })
    expect((await call('s.echo')).data).toBe('old answer')
  })

  it('is not trusted with an endpoint elsewhere (redirect-leak)', async () => {
    const running = await connected([legacy(() => 'http://127.0.0.1:1/messages')], { era: 'sse' })
    expect((await healthOf(running))?.reason).toContain('an endpoint of another origin')
  })

  it('that names no endpoint fails at the deadline (sse-fallback-quirks)', async () => {
    const running = await connected([legacy(() => undefined)], {
      era: 'sse',
      connectTimeoutMs: 300,
    })
    expect((await healthOf(running))?.reason).toContain('not ready within 300 ms')
  })
})

describe('an event of the transport of 2024-11-05', () => {
  const limit = 64 * 1024
  const tooMuch = 'x'.repeat(2 * limit)
  const large: Record<string, (id: unknown) => string> = {
    'id-first': (id) => `{"jsonrpc":"2.0","id":${String(id)},"result":{"x":"${tooMuch}"}}`,
    'id-last': (id) => `{"result":{"x":"${tooMuch}"},"jsonrpc":"2.0","id":${String(id)}}`,
    'id-in-lines': (id) =>
      `{"jsonrpc":"2.0",\ndata: "id":${String(id)},\ndata: "result":\ndata: {"x":"${tooMuch}"}}`,
    'id-in-result': (id) =>
      `{"result":{"id":${String(Number(id) - 1)},"x":"${tooMuch}"},"jsonrpc":"2.0","id":${String(id)}}`,
  }

  /** Answers `hang` never, one of the large ones as said there, and any other by its name; `end` is that of its lines. */
  function answering(end: string): Mode {
    let events: ServerResponse | undefined
    return (exchange) => {
      const { method, body, server, response } = exchange
      if (method === 'GET') {
        events = response
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`event: endpoint${end}data: /messages${end}${end}`)
        return true
      }
      refuse(exchange, 202, 'Accepted')
      const { name } = (body['params'] ?? {}) as { name?: string }
      const made = large[name ?? '']?.(body['id'])
      const answer = name === undefined ? answersOf(server)[String(body['method'])] : text(name)
      const message =
        made ?? JSON.stringify({ jsonrpc: '2.0', id: body['id'], result: answer ?? {} })
      if (body['id'] === undefined || name === 'hang') return true
      const whole = `event: message\ndata: ${message}\n\n`.replaceAll('\n', end)
      // In pieces that cut lines anywhere.
      for (let at = 0; at < whole.length; at += 50_001) events?.write(whole.slice(at, at + 50_001))
      return true
    }
  }

  it.each(
    Object.keys(large).flatMap((tool) => [
      [tool, 'LF', '\n'],
      [tool, 'CRLF', '\r\n'],
    ]),
  )('above the limit fails the call it answers and no other: %s, %s', async (tool, _name, end) => {
    const { call, fake } = await connected([answering(end)], {
      era: 'sse',
      maxMessageBytes: limit,
      timeoutMs: 5000,
    })
    const stop = new AbortController()
    const neighbour = call('s.hang', {}, { signal: stop.signal })
    neighbour.catch(() => undefined)
    await expect(call(`s.${tool}`)).rejects.toMatchObject({
      code: 'backend_error',
      rule: 'result-too-large',
      started: 'yes',
    })
    expect((await call('s.after')).data).toBe('after')
    stop.abort()
    await expect(neighbour).rejects.toMatchObject({ code: 'cancelled' })
    expect(methodsOf(fake).filter((method) => method === 'GET')).toHaveLength(1)
  })

  it('without an end is not read on, and its connection given up', async () => {
    let events: ServerResponse | undefined
    const flood: Mode = ({ method, response, body }) => {
      if (method === 'GET') events = response
      const { name } = (body['params'] ?? {}) as { name?: string }
      if (name !== 'flood' || events === undefined) return undefined
      response.writeHead(202).end()
      pour(events, 'data: ')
      return true
    }
    const { call } = await connected([flood, answering('\n')], {
      era: 'sse',
      maxMessageBytes: limit,
    })
    await expect(call('s.flood')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect((await call('s.after')).data).toBe('after')
  })
})

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse, opening: string): void {
  const filler = 'x'.repeat(1024 * 1024)
  const more = (): void => {
    while (!response.destroyed && response.write(filler));
  }
  response.write(opening)
  response.on('drain', more)
  more()
}
