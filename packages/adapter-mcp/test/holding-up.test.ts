import { describe, expect, it, onTestFinished } from 'vitest'

import { type Mode, refuse, startFakeHttp } from './fixtures/fake-http.ts'
import { create } from './host.ts'
import { connected, onCall } from './http.ts'

describe('A server that never lists its tools', () => {
  it('does not keep back those of the others', { timeout: 15_000 }, async () => {
    const hang: Mode = ({ body }) => (body['method'] === 'tools/list' ? true : undefined)
    const [good, bad] = [await startFakeHttp(), await startFakeHttp(hang)]
    onTestFinished(async () => {
      await Promise.all([good.close(), bad.close()])
    })
    const { adapter, tools } = create({
      startWaitMs: 200,
      servers: { good: { url: good.url, era: '2025' }, bad: { url: bad.url, era: '2025' } },
    })
    onTestFinished(() => adapter.stop?.({ graceMs: 100 }))
    await adapter.start?.(new AbortController().signal)
    expect((await tools()).map(({ namespace }) => namespace)).toEqual(['good'])
  })
})

describe('A session that ends again and again', () => {
  it('is told, and the server is cooling until it may be asked again', async () => {
    const { access, call } = await connected(
      [onCall((exchange) => refuse(exchange, 404, 'Session not found'))],
      { era: '2025' },
    )
    let failure: unknown
    for (let round = 0; round < 12; round += 1) failure = await call('s.echo').catch(Object)
    expect(failure).toMatchObject({
      message: 'MCP server "s" is not available: its session is gone',
      retryAfterMs: expect.any(Number) as number,
    })
    expect(access.servers()[0]?.state).toBe('cooling')
  })
})

describe('Headers that never come', () => {
  it('do not keep the adapter from its stop', async () => {
    let hang = false
    const headers = (): Promise<Record<string, string>> =>
      hang ? new Promise(() => undefined) : Promise.resolve({})
    const { adapter } = await connected([], { era: '2025', headers })
    hang = true
    const before = performance.now()
    await adapter.stop?.({ graceMs: 100 })
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
