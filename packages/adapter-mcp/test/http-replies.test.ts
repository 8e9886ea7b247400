import { describe, expect, it } from 'vitest'

import { turnableClock } from './clock.ts'
import { type Exchange, json, refuse, stream, text } from './fixtures/fake-http.ts'
import { until } from './host.ts'
import { connected, methodsOf, onCall } from './http.ts'

describe('a session that is gone', () => {
  it.each([
    ['404', (exchange: Exchange) => refuse(exchange, 404, 'Session not found')],
    [
      '400 with a text',
      (exchange: Exchange) => refuse(exchange, 400, 'Bad Request: No valid session ID'),
    ],
    ['503 with a text', (exchange: Exchange) => refuse(exchange, 503, 'session expired')],
    [
      'a JSON-RPC error',
      (exchange: Exchange) =>
        json(exchange, {
          jsonrpc: '2.0',
          id: exchange.body['id'],
          error: { code: -32_600, message: 'Session not found' },
        }),
    ],
  ])(
    'told by %s is made anew once for all calls (session-gone-other-status)',
    async (_how, answer) => {
      const { call, fake } = await connected([
        onCall((exchange) =>
          exchange.headers['mcp-session-id'] === 'session-1' ? answer(exchange) : undefined,
        ),
      ])
      // server/discover came first, so the first session has number 2.
      const first = [...fake.sessions][0]
      fake.sessions.clear()
      const calls = await Promise.all([call('s.echo'), call('s.echo'), call('s.echo')])
      expect(calls.map(({ data }) => data)).toEqual(['echo {}', 'echo {}', 'echo {}'])
      expect(methodsOf(fake).filter((method) => method === 'initialize')).toHaveLength(2)
      expect([...fake.sessions][0]).not.toBe(first)
    },
  )

  it.each([
    [400, 'Bad Request: Mcp-Session-Id header is required'],
    [400, 'Invalid or missing session ID'],
    [503, 'The session has expired'],
    [503, 'session does not exist'],
  ])('is what status %i with the text "%s" says', async (status, said) => {
    let refused = false
    const { call } = await connected([
      onCall((exchange) => {
        if (refused) return undefined
        refused = true
        return refuse(exchange, status, said)
      }),
    ])
    expect((await call('s.echo')).data).toBe('echo {}')
  })

  it.each([
    [503, 'upstream closed the session while it worked on the request'],
    [400, 'browser session crashed'],
  ])(
    'is not what status %i with the text "%s" says: nothing is sent again',
    async (status, said) => {
      const { call, fake } = await connected([onCall((exchange) => refuse(exchange, status, said))])
      await expect(call('s.echo')).rejects.toMatchObject({ code: 'backend_error' })
      expect(methodsOf(fake).filter((method) => method === 'tools/call')).toHaveLength(1)
    },
  )

  it('a second time is the error of the call, which has not started', async () => {
    const { call } = await connected([
      onCall((exchange) => refuse(exchange, 404, 'Session not found')),
    ])
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'backend_unavailable',
      started: 'no',
    })
  })
})

describe('a reply that does not come', () => {
  it.each([
    [
      'a stream that ends',
      (exchange: Exchange) => {
        stream(exchange)
        exchange.response.end()
        return true
      },
    ],
    [
      'a stream that breaks',
      (exchange: Exchange) => {
        stream(exchange)
        exchange.response.write('data: {"half')
        exchange.request.socket.destroy()
        return true
      },
    ],
    ['202', (exchange: Exchange) => refuse(exchange, 202)],
    [
      'a garbled event',
      (exchange: Exchange) => {
        stream(exchange)('{not json')
        return true
      },
    ],
    [
      'JSON cut short',
      (exchange: Exchange) => {
        exchange.response.writeHead(200, { 'content-type': 'application/json' })
        exchange.response.end('{"jsonrpc":"2.0","id":1')
        return true
      },
    ],
    [
      'a page of HTML',
      (exchange: Exchange) => {
        exchange.response.writeHead(200, { 'content-type': 'text/html' })
        exchange.response.end('<html><title>Sign in</title>')
        return true
      },
    ],
  ])(
    'after %s is an unknown outcome at once (stream-ends-without-response)',
    async (_how, answer) => {
      const { call } = await connected([onCall(answer)])
      const before = performance.now()
      await expect(call('s.echo')).rejects.toMatchObject({
        code: 'outcome_unknown',
        started: 'unknown',
        message: expect.stringMatching(/outcome unknown/) as string,
      })
      expect(performance.now() - before).toBeLessThan(10_000)
    },
  )

  it('is fetched with the latest id over several drops, as soon as the server says (last-event-id)', async () => {
    const ids: unknown[] = []
    let id: unknown
    const { call } = await connected([
      onCall((exchange) => {
        ;({ id } = exchange.body)
        stream(exchange)(undefined, { id: 'a', retry: 20 })
        exchange.response.end()
        return true
      }),
      (exchange) => {
        const last = exchange.headers['last-event-id']
        if (exchange.method !== 'GET' || last === undefined) return undefined
        ids.push(last)
        const send = stream(exchange)
        if (ids.length === 1) send(undefined, { id: 'b' })
        // The second part brings nothing at all.
        if (ids.length === 3) send({ jsonrpc: '2.0', id, result: text('resumed') }, { id: 'c' })
        exchange.response.end()
        return true
      },
    ])
    expect((await call('s.echo')).data).toBe('resumed')
    expect(ids).toEqual(['a', 'b', 'b'])
  })

  it('whose server is gone for good is not waited for as long as a call may be silent', async () => {
    const forward = turnableClock()
    let begun = false
    const { call, fake } = await connected([
      onCall((exchange) => {
        stream(exchange)(undefined, { id: 'a' })
        begun = true
        return true
      }),
    ])
    let error: unknown
    call('s.echo').catch((thrown: unknown) => {
      error = thrown
    })
    await until(() => begun)
    await fake.close()
    let waitedMs = 0
    await until(async () => {
      await forward(500)
      waitedMs += 500
      return error !== undefined
    })
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringMatching(/ended without an answer \(.*ECONNREFUSED/) as string,
    })
    expect(waitedMs).toBeLessThan(30_000)
  })
})

describe('a refusal', () => {
  it('with 429 tells when to come again; nothing ran (retry-after)', async () => {
    const { call } = await connected([
      onCall((exchange) => refuse(exchange, 429, 'slow down', { 'retry-after': '3' })),
    ])
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'rate_limited',
      started: 'no',
      retryAfterMs: 3000,
      backend: { code: 429 },
    })
  })

  it.each([
    [
      503,
      { 'retry-after': '2' },
      { code: 'backend_unavailable', started: 'no', retryAfterMs: 2000 },
    ],
    [503, {}, { code: 'backend_error', started: 'unknown' }],
    [408, {}, { code: 'backend_error', started: 'unknown' }],
    [502, {}, { code: 'backend_error', started: 'unknown' }],
    [403, {}, { code: 'backend_error', started: 'no' }],
  ] as const)(
    'with %i and %j says what is known of its effect (retry-after, replay-side-effects)',
    async (status, headers, expected) => {
      const { call } = await connected([
        onCall((exchange) => refuse(exchange, status, 'no', { ...headers })),
      ])
      await expect(call('s.echo')).rejects.toMatchObject(expected)
    },
  )

  it('with a JSON-RPC error in it is that error (rpc-error-in-5xx, error-id-null)', async () => {
    const { call } = await connected([
      onCall((exchange) =>
        json(
          exchange,
          { jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'inside' } },
          500,
        ),
      ),
    ])
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'backend_error',
      backend: { code: -32_603 },
      message: 'MCP server "s": inside',
    })
  })

  it('with a page of HTML is told by its title (html-or-proxy-page)', async () => {
    const { call } = await connected([
      onCall((exchange) => refuse(exchange, 502, '<html><head><title>Bad gateway</title>…')),
    ])
    await expect(call('s.echo')).rejects.toMatchObject({
      code: 'backend_error',
      started: 'unknown',
      message: 'MCP server "s": the server answered with status 502: an HTML page "Bad gateway"',
    })
  })

  it('of the connection means that nothing was sent', async () => {
    const { call, fake } = await connected([])
    await fake.close()
    // A connection that was open a moment ago leaves the first outcome unknown.
    const errors: unknown[] = []
    await until(async () => {
      errors.push(await call('s.echo').catch((error: unknown) => error))
      return (errors.at(-1) as { code?: string }).code === 'backend_unavailable'
    })
    expect(errors.at(-1)).toMatchObject({
      started: 'no',
      message: expect.stringContaining('ECONNREFUSED') as string,
    })
  })
})

describe('the size of what comes', () => {
  const filler = 'x'.repeat(64 * 1024)

  it('is limited for JSON, while it comes (http-size-unbounded)', async () => {
    const { call } = await connected(
      [
        onCall((exchange) => {
          exchange.response.writeHead(200, { 'content-type': 'application/json' })
          pour(exchange, '{"jsonrpc":"2.0","x":"')
          return true
        }),
      ],
      { maxMessageBytes: 1024 * 1024 },
    )
    await expect(call('s.echo')).rejects.toMatchObject({ rule: 'result-too-large', started: 'yes' })
  })

  it('is limited for an event without an end (http-size-unbounded)', async () => {
    const { call } = await connected(
      [
        onCall((exchange) => {
          exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
          pour(exchange, 'data: ')
          return true
        }),
      ],
      { maxMessageBytes: 1024 * 1024 },
    )
    await expect(call('s.echo')).rejects.toMatchObject({
      rule: 'result-too-large',
      started: 'yes',
    })
  })

  /** Writes for as long as somebody reads. */
  function pour({ response }: Exchange, opening: string): void {
    response.write(opening)
    const more = (): void => {
      while (!response.destroyed && response.write(filler));
    }
    response.on('drain', more)
    more()
  }
})
