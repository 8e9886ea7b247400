import { describe, expect, it } from 'vitest'

import { modern, type Mode, result, stream, text } from './fixtures/fake-http.ts'
import { stubHost, type StubHost, until } from './host.ts'
import { type Connected, connected, methodsOf } from './http.ts'

const updated = (uri: string): object => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})

/** Says that `a:1` changed, by the way, in answer to a call. */
const changing: Mode = (exchange) => {
  const { method } = exchange.body
  if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
    return result(exchange, {})
  }
  if (method !== 'tools/call') return undefined
  const send = stream(exchange)
  send(updated('a:1'))
  send({ jsonrpc: '2.0', id: exchange.body['id'], result: text('done') })
  exchange.response.end()
  return true
}

function server(host?: StubHost): Promise<Connected> {
  return connected([changing], { era: '2025' }, host)
}

describe('a subscription', () => {
  it('whose listener fails costs neither the others nor the call', async () => {
    const host = stubHost()
    const { access, call } = await server(host)
    const told: string[] = []
    await access.subscribe('s', 'a:1', () => {
      throw new Error('not today')
    })
    const rejecting = async (): Promise<void> => Promise.reject(new Error('nor then'))
    await access.subscribe('s', 'a:1', rejecting as () => void)
    await access.subscribe('s', 'a:1', () => void told.push('third'))
    expect((await call('s.echo')).data).toBe('done')
    expect(told).toEqual(['third'])
    expect(host.lines.filter(({ message }) => message === 'mcp: a listener failed')).toHaveLength(2)
  })

  it('that is ended twice leaves the one that came after it', async () => {
    const { access, call, fake } = await server()
    const told: string[] = []
    const end = await access.subscribe('s', 'a:1', () => void told.push('first'))
    await end()
    await access.subscribe('s', 'a:1', () => void told.push('second'))
    await end()
    await call('s.echo')
    expect(told).toEqual(['second'])
    expect(methodsOf(fake).filter((method) => method === 'resources/unsubscribe')).toHaveLength(1)
  })

  it('by a listener that has one already is one of its own', async () => {
    const { access, call } = await server()
    const told: string[] = []
    const listener = (): void => void told.push('told')
    const end = await access.subscribe('s', 'a:1', listener)
    await access.subscribe('s', 'a:1', listener)
    await end()
    await call('s.echo')
    expect(told).toEqual(['told'])
  })

  it('by a stream that ends is taken up again, and what was missed is told', async () => {
    let streams = 0
    const listening: Mode = (exchange) => {
      const { method } = exchange.body
      if (method === 'server/discover') {
        return result(exchange, {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, resources: { subscribe: true } },
        })
      }
      if (method !== 'subscriptions/listen') return undefined
      streams += 1
      const { notifications } = exchange.body['params'] as { notifications?: object }
      stream(exchange)({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          notifications,
          _meta: { 'io.modelcontextprotocol/subscriptionId': exchange.body['id'] },
        },
      })
      if (streams === 1) setTimeout(() => exchange.response.end(), 50)
      return true
    }
    const { access, adapter } = await connected([listening, modern])
    let told = 0
    await access.subscribe('s', 'a:1', () => void (told += 1))
    await until(() => told === 1)
    expect(streams).toBe(2)
    await adapter.stop?.({ graceMs: 100 })
  })
})
