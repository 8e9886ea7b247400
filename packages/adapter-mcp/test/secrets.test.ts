import process from 'node:process'

import { describe, expect, it, onTestFinished } from 'vitest'

import { type Exchange, json, refuse, startFakeHttp, stream, text } from './fixtures/fake-http.ts'
import { start, stubHost, until } from './host.ts'
import { connected, healthOf, onCall } from './http.ts'

/** What is told of a server that runs this line of code and ends. */
async function toldBy(code: string, secret: string, debug = false): Promise<string> {
  const host = stubHost({ API_SECRET: secret })
  const env = { API_SECRET: '{env:API_SECRET}' }
  const server = { command: process.execPath, args: ['-e', code], env, debug }
  const running = await start({ servers: { s: server } }, host)
  onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
  await until(async () => (await healthOf(running))?.reason?.includes('exit code') === true)
  return JSON.stringify([await healthOf(running), host.lines])
}

describe('A secret', () => {
  it('that a server over HTTP repeats in its refusal is not in its status', async () => {
    const fake = await startFakeHttp((exchange) =>
      refuse(exchange, 500, `bad ${String(exchange.headers.authorization)}`),
    )
    onTestFinished(() => fake.close())
    const headers = { authorization: 'Bearer {env:API_SECRET}' }
    const running = await start(
      { servers: { s: { url: fake.url, headers } } },
      stubHost({ API_SECRET: 'AAAA1111BBBB2222' }),
    )
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    const told = JSON.stringify(running.access.servers())
    expect(told).toContain('bad Bearer [redacted]')
    expect(told).not.toContain('AAAA1111')
  })

  it.each([
    ['a literal', { authorization: 'Bearer of/the+user-0123' }],
    ['what a function gives', () => ({ 'x-api-key': 'of/the+user-0123', 'x-note': 'no-secret' })],
    ['a password', { authorization: `Basic ${btoa('joe:of/the+user-0123')}` }],
    ['a cookie', { cookie: 'lang=en-US; id=of/the+user-0123' }],
  ])('in a header, be it %s, is taken out of what the server says', async (_what, headers) => {
    const echo = ({ headers: sent }: Exchange): string =>
      `Bearer no-secret ${JSON.stringify(sent)} ${atob(/Basic (.*)/.exec(sent.authorization ?? '')?.[1] ?? '')}`
    const { call, host, access } = await connected(
      [
        onCall((exchange) => {
          const { id, params } = exchange.body
          const said = echo(exchange)
          const tool = (params as { name: string }).name
          if (tool === 'refused') return refuse(exchange, 400, said)
          const answer =
            tool === 'fails'
              ? { error: { code: 1, message: said, data: { said } } }
              : { result: text(said) }
          if (tool !== 'streamed') return json(exchange, { jsonrpc: '2.0', id, ...answer })
          const push = stream(exchange)
          const message = { level: 'error', data: said }
          push({ jsonrpc: '2.0', method: 'notifications/message', params: message })
          push({ jsonrpc: '2.0', id, ...answer })
          return true
        }),
      ],
      { headers, debug: true },
    )
    const told = [await call('s.echo'), await call('s.streamed')]
    const failed = [call('s.fails'), call('s.refused')].map((work) =>
      work.catch((error: unknown) => JSON.stringify([String(error), error])),
    )
    const all = JSON.stringify([told, await Promise.all(failed), host.lines, access.servers()])
    expect(all.match(/Bearer no-secret/g)?.length).toBeGreaterThan(4)
    expect(all).toContain('[redacted]')
    expect(all).not.toMatch(/user-0123|b2YvdGhlInVzZXItMDEyMw/)
  })

  it('that looks like a path is not shown in part', async () => {
    const told = await toldBy(
      'process.stderr.write(`key ${process.env.API_SECRET}\\n`)',
      'AAAA1111/BBBB2222/CCCC3333',
    )
    expect(told).toContain('[redacted]')
    expect(told).not.toMatch(/AAAA1111|BBBB2222|CCCC3333/)
  })

  it('of several lines is not shown line by line', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line${String(at)}-of-the-private-key`)
    const told = await toldBy(
      'process.stderr.write(`${process.env.API_SECRET}\\n`)',
      lines.join('\n'),
      true,
    )
    expect(told).toContain('[redacted]')
    expect(told).not.toContain('of-the-private-key')
  })

  it.each([
    ['stdout', 190],
    ['stdout', 990],
    ['stderr', 990],
  ])('at which a line of %s is cut after %i characters is not shown in part', async (out, at) => {
    const told = await toldBy(
      `process.${out}.write('x'.repeat(${String(at)}) + process.env.API_SECRET + '\\n')`,
      'AAAA1111BBBB2222CCCC3333',
      true,
    )
    expect(told).not.toContain('AAAA1111')
  })
})
