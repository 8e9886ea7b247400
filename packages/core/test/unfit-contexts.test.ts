import { createHookBus } from '@callgate/hooks'
import type { CallContext, CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

describe('what a caller adds to its context', () => {
  it('stays its own, whoever is told of the context', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const told: string[] = []
    for (const event of ['turn_start', 'turn_end', 'tools_listed'] as const) {
      hooks.on(event, () => void told.push(event))
    }
    const gateway = gatewayOf([tool('a', () => 1)], { hooks })
    const request = { count: 0, parts: [{ name: 'x' }] }
    const context = { request } as CallContext
    gateway.registry.list(context)
    await gateway.runTurn({ toolCalls: [{ name: 'a', arguments: {} }] }, context)
    await hooks.idle()
    expect(told.toSorted()).toEqual(['tools_listed', 'turn_end', 'turn_start'])
    request.count++
    request.parts[0]!.name = 'y'
    expect(request).toEqual({ count: 1, parts: [{ name: 'y' }] })
  })

  it('changes nothing of what hooks are told: that is frozen', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const frozen: unknown[] = []
    const note = (...parts: readonly object[]): void => void frozen.push(parts.map(Object.isFrozen))
    hooks.on('turn_start', (seen) => note(seen, seen.turn, seen.turn.toolCalls[0]!))
    hooks.on('tools_listed', (seen) => note(seen, seen.tools, seen.tools[0]!))
    hooks.on('turn_end', (seen) => note(seen, seen.results, seen.results[0]!.metadata.trace))
    const gateway = gatewayOf([tool('a', () => ({ b: {} }))], { hooks })
    gateway.registry.list()
    await gateway.runTurn({ toolCalls: [{ name: 'a', arguments: {} }] })
    await hooks.idle()
    expect(frozen.flat(2)).toEqual(Array.from({ length: 9 }, () => true))
  })
})

describe('a field of the context that is misspelt', () => {
  const gateway = gatewayOf([tool('a', () => 1)])
  const call = { name: 'a', arguments: {} }

  it.each([
    [{ sessionID: 'x' }, 'sessionId'],
    [{ deadline_ms: 5 }, 'deadlineMs'],
    [{ Roles: ['a'] }, 'roles'],
  ])('is refused with the right one: %j', async (given, meant) => {
    await expect(gateway.dispatch(call, given as CallContext)).rejects.toMatchObject({
      rule: 'context',
      where: `context/${Object.keys(given)[0]}`,
      hint: `Did you mean "${meant}"?`,
    })
  })

  it("is the caller's own beside the right one", async () => {
    const context = { sessionId: 'x', session_id: 'y' } as CallContext
    expect((await gateway.dispatch(call, context)).status).toBe('ok')
  })
})

describe('a context that is none', () => {
  const gateway = gatewayOf([tool('a', () => 1)])
  const call = { name: 'a', arguments: {} }

  it.each([null, { signal: {} }, { roles: 'admin' }])(
    'is refused the same way by every door: %j',
    async (given) => {
      const context = given as unknown as CallContext
      const refused = { rule: 'context' }
      await expect(gateway.explain(call, context)).rejects.toMatchObject(refused)
      await expect(gateway.dispatch(call, context)).rejects.toMatchObject(refused)
      await expect(gateway.runTurn({ toolCalls: [call] }, context)).rejects.toMatchObject(refused)
    },
  )
})
