import { describe, expect, it } from 'vitest'

import { type Exchange, json, type Json, result, stream, text } from './fixtures/fake-http.ts'
import { stubHost } from './host.ts'
import { type Connected, connected, onCall } from './http.ts'

/** JSON text of a list in a list in a list. */
const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

function answering(run: (exchange: Exchange) => boolean, more: object = {}): Promise<Connected> {
  return connected([onCall(run)], { era: '2025', timeoutMs: 2000, ...more })
}

function raw(exchange: Exchange, body: string): true {
  exchange.response.writeHead(200, { 'content-type': 'application/json' })
  exchange.response.end(body)
  return true
}

describe('an answer of JSON', () => {
  it.each(['null', '[]', '{}', '7', '{"jsonrpc":"2.0","id":5,"result":{}}'])(
    'that holds none, %s, ends the call at once',
    async (body) => {
      const { call } = await answering((exchange) => raw(exchange, body))
      await expect(call('s.echo')).rejects.toMatchObject({ code: 'outcome_unknown' })
    },
  )

  it('that is an error without an id is the one of its request (error-id-null)', async () => {
    const { call } = await answering((exchange) =>
      json(exchange, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'not so' } }),
    )
    await expect(call('s.echo')).rejects.toMatchObject({
      message: 'MCP server "s": not so',
      started: 'no',
    })
  })

  it('that is such an error in a stream too (error-id-null)', async () => {
    const { call } = await answering((exchange) => {
      stream(exchange)({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'not so' } })
      exchange.response.end()
      return true
    })
    await expect(call('s.echo')).rejects.toMatchObject({ message: 'MCP server "s": not so' })
  })

  it.each(['"boom"', '7', '["boom"]'])('whose error is %s is no success', async (error) => {
    const { call } = await answering((exchange) =>
      raw(exchange, `{"jsonrpc":"2.0","id":${String(exchange.body['id'])},"error":${error}}`),
    )
    await expect(call('s.echo')).rejects.toMatchObject({ code: 'backend_error' })
  })
})

describe('a result', () => {
  it('with a part of no type that can be told is not lost', async () => {
    const content = [{ type: { toString: null } }, { type: 'text', text: 'done' }]
    const { call } = await answering((exchange) => result(exchange, { content }))
    expect((await call('s.echo')).content).toMatchObject([{ type: 'text' }, { text: 'done' }])
  })

  it('with a part that is too deep is not lost', async () => {
    const { call } = await answering((exchange) =>
      raw(
        exchange,
        `{"jsonrpc":"2.0","id":${String(exchange.body['id'])},"result":{"content":[{"type":"odd","x":${deep(50_000)}},{"type":"text","text":"done"}]}}`,
      ),
    )
    const { content } = await call('s.echo')
    expect(content?.at(-1)).toMatchObject({ text: 'done' })
    expect(JSON.stringify(content?.[0])).toContain('too deep')
  })

  it('with quotes that were decoded wrongly keeps what stands between them', async () => {
    const said =
      '\u00E2\u0080\u009Cfirst\u00E2\u0080\u009D then \u00E2\u0080\u009Csecond\u00E2\u0080\u009D end'
    const { call } = await answering((exchange) => result(exchange, text(said)))
    expect((await call('s.echo')).data).toBe('\u00E2first\u00E2 then \u00E2second\u00E2 end')
  })

  it('whose structured content is null is its text', async () => {
    const { call } = await answering((exchange) =>
      result(exchange, { ...text('done'), structuredContent: null }),
    )
    expect((await call('s.echo')).data).toBe('done')
  })
})

describe('a log line that is too deep', () => {
  it('costs nothing but itself', async () => {
    const host = stubHost({ TOKEN: 'a-secret-token' })
    const { call } = await connected(
      [
        onCall((exchange) => {
          const send = stream(exchange)
          send(
            `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${deep(50_000)}}}`,
          )
          send({ jsonrpc: '2.0', id: (exchange.body as Json)['id'], result: text('done') })
          exchange.response.end()
          return true
        }),
      ],
      { era: '2025', debug: true, headers: { 'x-key': '{env:TOKEN}' } },
      host,
    )
    expect((await call('s.echo')).data).toBe('done')
  })
})
