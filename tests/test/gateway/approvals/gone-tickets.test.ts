import { describe, expect, it } from 'vitest'

import { call, gatewayOf, store } from './support.ts'

describe('a ticket under which no call waits', () => {
  it('may have been answered and its call run before, by a process that was killed', async () => {
    const approvals = store()
    const first = gatewayOf({ ports: { approvals } })
    const ticketId = (await first.dispatch(call)).metadata.ticketId!
    // Claimed by a process that ended in the middle of the call.
    await approvals.claim(ticketId)
    const unknown = {
      status: 'denied',
      error: { code: 'approval_expired', message: expect.stringContaining('run before') },
      metadata: { outcome: 'unknown' },
    }
    const again = await first.resume(ticketId, { decision: 'approve' })
    expect(again).toMatchObject({ ...unknown, callId: 'c1' })
    const elsewhere = gatewayOf({ ports: { approvals } })
    expect(await elsewhere.resume(ticketId, { decision: 'approve' })).toMatchObject(unknown)
  })

  it('is not found where the store gives null, and refused where it gives no call', async () => {
    for (const [given, code] of [
      [null, 'approval_expired'],
      [{}, 'approval_denied'],
      ['text', 'approval_denied'],
      [{ code: 'x', ticketId: 't' }, 'approval_denied'],
      [
        { ticketId: 't', callId: 'c', tool: 'local::send', context: { scope: 5 } },
        'approval_denied',
      ],
      [{ ticketId: 't', callId: 'c', tool: 'local::send', context: {}, n: 5n }, 'approval_denied'],
    ] as const) {
      const approvals = store({ claim: async () => given as never })
      const resumed = await gatewayOf({ ports: { approvals } }).resume('t', { decision: 'approve' })
      expect(resumed.error?.code).toBe(code)
    }
  })

  it('is told of as unknown also to the call that asks, when somebody else has answered', async () => {
    const approvals = store({ decide: async () => 'gone' })
    const gateway = gatewayOf({
      ports: { approvals },
      approver: async () => ({ decision: 'approve' }),
    })
    expect(await gateway.dispatch(call)).toMatchObject({
      error: { code: 'approval_expired' },
      metadata: { outcome: 'unknown' },
    })
  })

  it('is not so for a gateway that is closed: it leaves the ticket to others', async () => {
    const approvals = store()
    const closed = gatewayOf({ ports: { approvals } })
    const ticketId = (await closed.dispatch(call)).metadata.ticketId!
    await closed.close()
    expect((await closed.resume(ticketId, { decision: 'approve' })).status).toBe('cancelled')
    const open = gatewayOf({ ports: { approvals } })
    expect((await open.resume(ticketId, { decision: 'approve' })).status).toBe('ok')
  })
})
