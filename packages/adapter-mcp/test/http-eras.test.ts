import { describe, expect, it, onTestFinished } from 'vitest'

import {
  type Exchange,
  type Mode,
  modern,
  refuse,
  result,
  startFakeHttp,
  stream,
  text,
} from './fixtures/fake-http.ts'
import { start, until } from './host.ts'
import { connected, healthOf, methodsOf, onCall } from './http.ts'

describe('the era of a server', () => {
  it('without sessions is found and spoken', async () => {
    const running = await connected([
      modern,
      onCall((exchange) => result(exchange, { resultType: 'complete', ...text('modern') })),
    ])
    expect((await running.call('s.echo')).data).toBe('modern')
    const call = running.fake.recorded.find(({ body }) => body['method'] === 'tools/call')
    expect(call?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    })
    expect(call?.headers['mcp-session-id']).toBeUndefined()
    expect(call?.body['params']).toMatchObject({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'callgate' },
      },
    })
  })

  it.each([
    ['500', (exchange: Exchange) => refuse(exchange, 500)],
    ['400', (exchange: Exchange) => refuse(exchange, 400, 'Bad Request')],
    ['nothing', () => true],
  ])(
    'that answers the question for it with %s is the older one (discover-probe)',
    async (_what, answer) => {
      const { call } = await connected([
        (exchange) =>
          exchange.body['method'] === 'server/discover' ? answer(exchange) : undefined,
      ])
      expect((await call('s.echo')).data).toBe('echo {}')
    },
  )

  it('is remembered when its session is made anew', async () => {
    const { call, fake } = await connected([])
    fake.sessions.clear()
    expect((await call('s.echo')).data).toBe('echo {}')
    const asked = methodsOf(fake).filter((method) => method === 'server/discover')
    expect(asked).toHaveLength(1)
  })

  it('without sessions may say how long its list holds: each user lists alone (tools-cache-scope)', async () => {
    const hints = [{ cacheScope: 'public', ttlMs: 1e12 }, { cacheScope: 'private', ttlMs: -1 }, {}]
    const byUser: Mode = (exchange) => {
      if (exchange.body['method'] !== 'tools/list') return undefined
      const user = String(exchange.headers['authorization'])
      const tools = [{ name: user, inputSchema: { type: 'object' } }]
      return result(exchange, { resultType: 'complete', tools, ...hints[exchange.before % 3] })
    }
    for (const user of ['ada', 'bob', 'cyd']) {
      const { tools } = await connected([byUser, modern], { headers: { authorization: user } })
      expect((await tools()).map(({ name }) => name)).toEqual([user])
    }
  })

  it('that wants credentials is not asked again in another way', async () => {
    const running = await connected([(exchange) => refuse(exchange, 401)])
    expect((await healthOf(running))?.state).toBe('down')
    expect(methodsOf(running.fake)).toEqual(['server/discover'])
  })

  it('without sessions tells of changed tools on a stream of its own (list-changed-after-reconnect)', async () => {
    const subscription: Mode = (exchange) => {
      if (exchange.body['method'] !== 'subscriptions/listen') return undefined
      const send = stream(exchange)
      const mark = { _meta: { 'io.modelcontextprotocol/subscriptionId': exchange.body['id'] } }
      const notifications = { toolsListChanged: true }
      send({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, ...mark },
      })
      exchange.server.tools = [{ name: 'new', inputSchema: { type: 'object' } }]
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: mark })
      return true
    }
    const { tools } = await connected([subscription, modern])
    await until(async () => (await tools()).some(({ name }) => name === 'new'))
    expect(await tools()).toHaveLength(1)
  })

  it('that asks for input gets it and is called again with its state (requestState)', async () => {
    const fake = await startFakeHttp(
      modern,
      onCall((exchange) => {
        const { inputResponses, requestState } = exchange.body['params'] as {
          inputResponses?: object
          requestState?: string
        }
        if (inputResponses !== undefined) {
          return result(exchange, {
            resultType: 'complete',
            ...text(`${JSON.stringify(inputResponses)} ${String(requestState)}`),
          })
        }
        return result(exchange, {
          resultType: 'input_required',
          requestState: 'state-1',
          inputRequests: {
            q: {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'Name?',
                requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
              },
            },
          },
        })
      }),
    )
    onTestFinished(() => fake.close())
    const running = await start({
      servers: { s: { url: fake.url } },
      elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    onTestFinished(() => running.adapter.stop?.({ graceMs: 100 }))
    expect((await running.call('s.echo')).data).toBe(
      '{"q":{"action":"accept","content":{"name":"Ada"}}} state-1',
    )
    const ids = fake.recorded
      .filter(({ body }) => body['method'] === 'tools/call')
      .map(({ body }) => body['id'])
    expect(new Set(ids).size).toBe(2)
  })

  it('that asks for input where there is no user is told so (no-ui-fails-closed)', async () => {
    const { call } = await connected([
      modern,
      onCall((exchange) => {
        const { inputResponses } = exchange.body['params'] as { inputResponses?: object }
        return result(
          exchange,
          inputResponses === undefined
            ? {
                resultType: 'input_required',
                inputRequests: { q: { method: 'elicitation/create', params: { message: '?' } } },
              }
            : { resultType: 'complete', ...text(JSON.stringify(inputResponses)) },
        )
      }),
    ])
    expect((await call('s.echo')).data).toBe('{"q":{"action":"decline"}}')
  })
})
