import { createGateway, defineTool } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import { defineAdapter, type CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'

const works = defineTool({
  namespace: 'local',
  name: 't',
  description: 't',
  parameters: true,
  execute: () => 1,
})

describe('the life of a gateway and its adapters', () => {
  it('is told to hooks: who came up, who is down and why, and the end (R4.2)', async () => {
    const time = createVirtualClock()
    let state: 'ok' | 'down' = 'ok'
    const adapter = (name: string, start: () => Promise<void>) =>
      defineAdapter<object>({
        contract: 1,
        name,
        capabilities: { health: true, isolation: 'none' },
        configSchema: { type: 'object' },
        create: () => ({
          start,
          invoke: async () => ({}),
          health: async () => ({ state, reason: 'the disk is full' }),
        }),
      })({})
    const hooks = createHookBus<CallgateEvents>({ clock: time.clock })
    const heard: unknown[] = []
    for (const event of ['gateway_start', 'gateway_stop', 'adapter_up', 'adapter_down'] as const) {
      hooks.on(event, (payload) => void heard.push([event, payload]))
    }
    const gateway = createGateway({
      hooks,
      adapters: [
        adapter('good', async () => {}),
        adapter('bad', () => Promise.reject(new Error('no port'))),
      ],
      tools: [
        {
          namespace: 'good',
          name: 't',
          description: 't',
          parameters: true,
          backend: { adapter: 'good' },
          healthCheck: { intervalMs: 1000, timeoutMs: 100, unhealthyThreshold: 1 },
        },
      ],
      ports: { clock: time.clock },
    })
    await gateway.start()
    await hooks.idle()
    const adapters = ['good', 'bad']
    expect(heard).toHaveLength(3)
    expect(heard).toEqual(
      expect.arrayContaining([
        ['adapter_up', { adapter: 'good' }],
        ['adapter_down', { adapter: 'bad', reason: 'no port' }],
      ]),
    )
    expect(heard[2]).toEqual(['gateway_start', { adapters }])
    heard.length = 0
    state = 'down'
    await time.advance(1000)
    state = 'ok'
    await time.advance(1000)
    await gateway.close()
    expect(heard).toEqual([
      ['adapter_down', { adapter: 'good', reason: 'the disk is full' }],
      ['adapter_up', { adapter: 'good' }],
      ['gateway_stop', { adapters }],
    ])
  })
})

describe('what an adapter logs', () => {
  it('says under which name it was bound', () => {
    const kind = defineAdapter<object>({
      contract: 1,
      name: 'srv',
      capabilities: { isolation: 'none' },
      configSchema: { type: 'object' },
      create(_, host) {
        host.log.info('made', { port: 1 })
        return { invoke: async () => ({}) }
      },
    })
    const told: unknown[] = []
    createGateway({
      adapters: [kind({ name: 'one' }), kind({ name: 'two' })],
      log: { debug() {}, warn() {}, error() {}, info: (_, fields) => void told.push(fields) },
    })
    expect(told).toEqual([
      { adapter: 'one', port: 1 },
      { adapter: 'two', port: 1 },
    ])
  })
})

describe('an observer that never settles, without a limit', () => {
  it('holds no gateway open', async () => {
    const time = createVirtualClock()
    const hooks = createHookBus<CallgateEvents>({ clock: time.clock })
    hooks.on('post_tool_call', () => new Promise<void>(() => {}), { timeoutMs: 0 })
    const gateway = createGateway({ tools: [works], hooks, ports: { clock: time.clock } })
    await gateway.dispatch({ name: 't', arguments: {} })
    const startedAt = time.clock.now()
    await time.settle(gateway.close())
    expect(time.clock.now() - startedAt).toBe(10_000)
  })
})

describe('a hook on an event that is never fired', () => {
  it('is named at the start, with the event that was meant', async () => {
    const warnings: string[] = []
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_cal' as never, (() => {}) as never, { id: 'guard' })
    hooks.on('my_own_event' as never, (() => {}) as never)
    const gateway = createGateway({
      tools: [works],
      hooks,
      log: { debug() {}, info() {}, error() {}, warn: (text) => void warnings.push(text) },
    })
    await gateway.start()
    expect(warnings).toEqual([expect.stringMatching(/"guard".*did you mean "pre_tool_call"/)])
    await gateway.close()
  })

  it('is named at the first call of a gateway that nobody starts, once, with patterns that match no tool', async () => {
    const warnings: string[] = []
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_cal' as never, (() => {}) as never, { id: 'guard' })
    hooks.on('post_tool_call', () => {}, { id: 'watch', match: 'nobody::*' })
    const gateway = createGateway({
      tools: [works],
      hooks,
      log: { debug() {}, info() {}, error() {}, warn: (text) => void warnings.push(text) },
    })
    const call = { name: 't', arguments: {} }
    await gateway.runTurn({ toolCalls: [call, call] })
    await gateway.dispatch(call)
    expect(warnings).toEqual([
      expect.stringMatching(/"guard".*did you mean "pre_tool_call"/),
      'hook "watch" on post_tool_call matches no known tool',
    ])
    await gateway.close()
  })

  it('is named where a tool falls back on one that there is not', async () => {
    const warnings: object[] = []
    const gateway = createGateway({
      tools: [works, { ...works, name: 'u', fallback: ['local::t', 'local::nope'] }],
      log: {
        debug() {},
        info() {},
        error() {},
        warn: (text, fields) => void warnings.push({ text, fields }),
      },
    })
    await gateway.start()
    expect(warnings).toEqual([
      { text: 'local::u falls back on no known tool', fields: { missing: ['local::nope'] } },
    ])
    await gateway.close()
  })
})
