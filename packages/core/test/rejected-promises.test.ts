import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents, Logger } from '@callgate/spec'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { GatewayOptions } from '../src/index.ts'
import { gatewayOf, tool } from './tools.ts'

const rejects = (() => Promise.reject(new Error('later'))) as unknown as () => never

function revoked(): never {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy as never
}

const hooks = (): GatewayOptions['hooks'] => {
  const bus = createHookBus<CallgateEvents>()
  bus.on('post_tool_call', revoked)
  bus.on('turn_start', revoked)
  return bus
}
const log: Logger = { debug: rejects, info: rejects, warn: rejects, error: rejects }

const cases: readonly (readonly [what: string, options: GatewayOptions])[] = [
  ['a logger', { log }],
  ['statistics', { ports: { statistics: { record: rejects } } }],
  ['statistics with a proxy', { ports: { statistics: { record: revoked } } }],
  ['an audit', { ports: { audit: { append: rejects } } }],
  ['an audit with a proxy', { ports: { audit: { append: revoked } } }],
  ['an observer', { hooks: hooks()! }],
  ['a tool', { tools: [tool('t', revoked)] }],
  ['a tool that answers later', { tools: [tool('t', async () => revoked())] }],
]

describe('what nobody waits for', () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  beforeEach(() => {
    unhandled.length = 0
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.off('unhandledRejection', note)
  })

  it.each(cases)('ends no process when %s fails', async (_what, { tools, ...options }) => {
    const gateway = gatewayOf(tools ?? [tool('t', () => 1)], options)
    gateway.registry.on('added', rejects)
    gateway.registry.on('added', revoked)
    gateway.registry.add(tool('u', () => 1))
    const call = { name: 't', arguments: {} }
    const { results } = await gateway.runTurn({
      toolCalls: [call, call, { ...call, name: 'none' }],
    })
    expect(results).toHaveLength(3)
    await gateway.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })
})
