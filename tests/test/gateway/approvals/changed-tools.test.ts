import { createGateway, type Gateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { ApprovalRequest, CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { call, gatewayOf, send, store } from './support.ts'

const changed = send({ description: 'Sends it to somebody else.', execute: () => 'changed' })

describe('an approval with a scope', () => {
  it.each(['always', 'session'] as const)(
    'of %s is for the tool as it was approved: another in its place is asked for',
    async (scope) => {
      const asked: ApprovalRequest[] = []
      const gateway = gatewayOf({
        approver: async (request) =>
          asked.push(request) === 1 ? { decision: 'approve', scope } : { decision: 'deny' },
      })
      const context = { sessionId: 's' }
      await gateway.dispatch(call, context)
      gateway.registry.add(changed)
      expect((await gateway.dispatch(call, context)).status).toBe('denied')
      expect(asked.map(({ definitionDigest }) => definitionDigest)).toEqual([
        expect.any(String),
        gateway.registry.digest('local::send'),
      ])
      gateway.registry.add(send())
      expect((await gateway.dispatch(call, context)).status).toBe('ok')
      expect(asked.length).toBe(2)
    },
  )

  it('that rules carry is for the tool as it was approved, too', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'ask', rule: 'mail' }))
    let asked = 0
    const gateway = createGateway({
      hooks,
      tools: [send({ confirm: false })],
      approver: async () =>
        asked++ === 0 ? { decision: 'approve', scope: 'always' } : { decision: 'deny' },
    })
    await gateway.dispatch(call)
    expect((await gateway.dispatch({ ...call, arguments: { to: 'b' } })).status).toBe('ok')
    gateway.registry.add({ ...changed, confirm: false })
    expect((await gateway.dispatch(call)).status).toBe('denied')
    expect(asked).toBe(2)
  })

  it('is given to a store with the digest of the definition', async () => {
    const approvals = store()
    const gateway = gatewayOf({ ports: { approvals } })
    const { metadata } = await gateway.dispatch(call)
    await gateway.resume(metadata.ticketId!, { decision: 'approve', scope: 'always' })
    expect(approvals.grants).toMatchObject([
      { scope: 'always', definitionDigest: gateway.registry.digest('local::send') },
    ])
  })
})

describe('a tool that changes while a person is asked', () => {
  const changes: Record<string, (registry: Gateway['registry']) => void> = {
    'is removed': (registry) => registry.remove('local::send'),
    'is replaced by another definition': (registry) => registry.add(changed),
    'is replaced by one with another function': (registry) => registry.add(send()),
  }

  it.each(Object.keys(changes))('and %s does not run', async (what) => {
    let runs = 0
    const approvals = store()
    const gateway = createGateway({
      tools: [send({ execute: () => ++runs })],
      ports: { approvals },
      approver: async () => {
        changes[what]!(gateway.registry)
        return { decision: 'approve' }
      },
    })
    const { error, metadata } = await gateway.dispatch(call)
    expect({ code: error?.code, outcome: metadata.outcome, runs }).toEqual({
      code: 'definition_changed',
      outcome: 'not_started',
      runs: 0,
    })
    expect(await approvals.list()).toEqual([])
  })

  it('is not asked about again with edited arguments', async () => {
    let asked = 0
    const gateway = gatewayOf({
      approver: async () => {
        asked++
        gateway.registry.add(changed)
        return { decision: 'edit', arguments: { to: 'b' } }
      },
    })
    expect((await gateway.dispatch(call)).error?.code).toBe('definition_changed')
    expect(asked).toBe(1)
  })
})

describe('a tool that changes while the grant of a resumed call is kept', () => {
  it.each(['session', 'always'] as const)(
    'with the scope %s does not run in place of the one that was approved',
    async (scope) => {
      let runs = 0
      const another = send({ description: 'Another.', execute: () => ++runs })
      const approvals = store({
        async grant() {
          gateway.registry.remove('local::send')
          gateway.registry.add(another)
        },
      })
      const gateway = gatewayOf({ ports: { approvals } })
      const { metadata } = await gateway.dispatch(call, { sessionId: 's' })
      const resumed = await gateway.resume(metadata.ticketId!, { decision: 'approve', scope })
      expect({ code: resumed.error?.code, outcome: resumed.metadata.outcome, runs }).toEqual({
        code: 'definition_changed',
        outcome: 'not_started',
        runs: 0,
      })
    },
  )
})
