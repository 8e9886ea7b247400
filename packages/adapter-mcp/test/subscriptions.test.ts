import { ToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { turnableClock } from './clock.ts'
import {
  type Exchange,
  json,
  modern,
  type Mode,
  result,
  stream,
  text,
} from './fixtures/fake-http.ts'
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

/** A server of revision 2026-07-28 whose streams of subscriptions are acknowledged, and then what `then` makes of them. */
function listening(then: (exchange: Exchange) => void): Mode {
  return (exchange) => {
    const { body } = exchange
    if (body['method'] === 'server/discover') {
      return result(exchange, {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      })
    }
    if (body['method'] !== 'subscriptions/listen') return undefined
    const { notifications } = body['params'] as { notifications?: object }
    stream(exchange)({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications,
        _meta: { 'io.modelcontextprotocol/subscriptionId': body['id'] },
      },
    })
    then(exchange)
    return true
  }
}

describe('a server that ends each stream for changes of its tools at once', () => {
  it('is asked for another ever more rarely', async () => {
    const turn = turnableClock()
    let streams = 0
    const ending = listening(({ response }) => {
      streams += 1
      response.end()
    })
    await connected([ending, modern])
    for (let second = 0; second < 60; second += 1) await turn(1000)
    await until(() => streams > 1)
    expect(streams).toBeLessThan(12)
  })
})

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

  it('that the server refuses fails with what it says', async () => {
    const refusing: Mode = (exchange) => {
      const { id, method } = exchange.body
      const error = { code: -32_002, message: 'no such resource' }
      return method === 'resources/subscribe'
        ? json(exchange, { jsonrpc: '2.0', id, error })
        : undefined
    }
    const { access } = await connected([refusing], { era: '2025' })
    const refused = await access.subscribe('s', 'a:1', () => undefined).catch((error) => error)
    expect(ToolError.isInstance(refused)).toBe(true)
    expect(refused).toMatchObject({ code: 'backend_error', backend: { code: -32_002 } })
  })

  it('whose first asker gives up is still had by the second', async () => {
    let asked = 0
    const silentAtFirst: Mode = (exchange) => {
      if (exchange.body['method'] !== 'resources/subscribe') return undefined
      asked += 1
      return asked === 1 ? true : undefined
    }
    const { access, call } = await connected([silentAtFirst, changing], { era: '2025' })
    const stop = new AbortController()
    const told: string[] = []
    const first = access.subscribe('s', 'a:1', () => void told.push('first'), stop.signal)
    await until(() => asked === 1)
    const second = access.subscribe('s', 'a:1', () => void told.push('second'))
    stop.abort()
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    const end = await second
    await call('s.echo')
    expect(told).toEqual(['second'])
    await end()
  })

  it('by a stream that is never acknowledged is given up with its caller', async () => {
    const silent: Mode = (exchange) => exchange.body['method'] === 'subscriptions/listen'
    const { access, fake } = await connected([silent, modern])
    const stop = new AbortController()
    const before = methodsOf(fake).filter((method) => method === 'subscriptions/listen').length
    const asked = access.subscribe('s', 'a:1', () => undefined, stop.signal)
    const listens = (): number =>
      methodsOf(fake).filter((method) => method === 'subscriptions/listen').length
    await until(() => listens() > before)
    stop.abort()
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('by a stream that ends is taken up again, and what was missed is told', async () => {
    const streams: Exchange[] = []
    const ending = listening((exchange) => {
      const { notifications } = exchange.body['params'] as { notifications: object }
      if (!('resourceSubscriptions' in notifications)) return
      streams.push(exchange)
      if (streams.length === 1) setTimeout(() => exchange.response.end(), 50)
    })
    const { access, adapter } = await connected([ending, modern])
    let told = 0
    await access.subscribe('s', 'a:1', () => void (told += 1))
    await until(() => told === 1)
    expect(streams).toHaveLength(2)
    await adapter.stop?.({ graceMs: 100 })
  })
})
