import { createGateway } from '@callgate/core'
import { describe, expect, it } from 'vitest'

import { call, gatewayOf, send, store } from './support.ts'

describe('half an answer', () => {
  const halves: readonly object[] = [
    { decision: 'edit' },
    { decision: 'approve', scope: 'for ever' },
    { decision: 'approve', scope: null },
  ]

  it('of an approver is none: the call is refused, and nothing is granted', async () => {
    for (const half of halves) {
      const approvals = store()
      const gateway = gatewayOf({ approver: async () => half as never, ports: { approvals } })
      expect((await gateway.dispatch(call, { sessionId: 's' })).error?.code).toBe('approval_denied')
      expect(approvals.grants).toEqual([])
    }
  })

  it('to a ticket is refused, and the ticket is not used up', async () => {
    const gateway = gatewayOf({ ports: { approvals: store() } })
    const { metadata } = await gateway.dispatch(call)
    for (const half of halves) {
      await expect(gateway.resume(metadata.ticketId!, half as never)).rejects.toThrow(
        /does not fit/,
      )
    }
    const done = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(done).toMatchObject({ status: 'ok', data: { to: 'a' } })
  })
})

describe('edited arguments that do not fit', () => {
  it('are refused, and the ticket waits for the human to correct them', async () => {
    const approvals = store()
    const parameters = {
      type: 'object',
      properties: { to: { type: 'string' }, times: { type: 'integer' } },
      additionalProperties: false,
    } as const
    const gateway = createGateway({ tools: [send({ parameters })], ports: { approvals } })
    const ticketId = (await gateway.dispatch(call)).metadata.ticketId!
    for (const edited of [{ times: 'often' }, { nobody: 1 }, '{"to":']) {
      await expect(
        gateway.resume(ticketId, { decision: 'edit', arguments: edited }),
      ).rejects.toMatchObject({ rule: 'approval-edit', where: '/decision/arguments' })
    }
    const edited = await gateway.resume(ticketId, { decision: 'edit', arguments: { to: 'b' } })
    expect(edited.status).toBe('pending')
  })
})
