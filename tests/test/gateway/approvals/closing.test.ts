import { createGateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { ApprovalRequest, CallgateEvents, Ports } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../../src/virtual-clock.ts'
import { call, send, store } from './support.ts'

/** A store of approvals, and a tool that tells how often it ran. */
function setUp() {
  const approvals = store()
  const runs: unknown[] = []
  const tool = send({ execute: (args: unknown) => runs.push(args) } as never)
  const gatewayOn = (
    mine: Partial<Ports['approvals']> = {},
    hooks = createHookBus<CallgateEvents>(),
  ) => createGateway({ tools: [tool], hooks, ports: { approvals: { ...approvals, ...mine } } })
  return { approvals, runs, tool, gatewayOn }
}

const keptFromStarting = (hint: string) => ({
  callId: 'c1',
  status: 'cancelled',
  error: { hint: expect.stringContaining(hint) as string },
  metadata: { outcome: 'not_started' },
})

describe('a gateway that closes while a ticket is answered', () => {
  it.each([
    { decision: 'approve', scope: 'always' },
    { decision: 'deny' },
    { decision: 'edit', arguments: { to: 'b' } },
  ] as const)('has claimed it: the ticket waits for another gateway: %j', async (decision) => {
    const { approvals, runs, gatewayOn } = setUp()
    const hooks = createHookBus<CallgateEvents>()
    const decided: unknown[] = []
    hooks.on('approval_decision', (payload) => void decided.push(payload.decision))
    let closed: Promise<void> | undefined
    const closing = gatewayOn(
      {
        async claim(ticketId) {
          const request = await approvals.claim(ticketId)
          closed = closing.close()
          return request
        },
      },
      hooks,
    )
    const ticketId = (await closing.dispatch(call)).metadata.ticketId!
    expect(await closing.resume(ticketId, decision)).toMatchObject(keptFromStarting('waits again'))
    await closed
    expect({ decided, grants: approvals.grants, runs }).toEqual({
      decided: [],
      grants: [],
      runs: [],
    })
    const open = gatewayOn()
    expect((await open.resume(ticketId, { decision: 'approve' })).status).toBe('ok')
    expect((await open.resume(ticketId, { decision: 'approve' })).status).toBe('denied')
    expect(runs).toEqual([{ to: 'a' }])
  })

  it('asks its hooks: the ticket waits again', async () => {
    const { runs, gatewayOn } = setUp()
    const hooks = createHookBus<CallgateEvents>()
    const closing = gatewayOn({}, hooks)
    const ticketId = (await closing.dispatch(call)).metadata.ticketId!
    let closed: Promise<void> | undefined
    hooks.on('pre_tool_call', async () => {
      closed = closing.close()
      return { action: 'allow' }
    })
    const kept = await closing.resume(ticketId, { decision: 'approve' })
    expect(kept).toMatchObject(keptFromStarting('waits again'))
    await closed
    expect((await gatewayOn().resume(ticketId, { decision: 'approve' })).status).toBe('ok')
    expect(runs).toHaveLength(1)
  })

  it('runs it: the ticket is used up, since the call may have had its effect', async () => {
    const { approvals, gatewayOn } = setUp()
    let closed: Promise<void> | undefined
    const closing = createGateway({
      tools: [
        send({
          execute: () => {
            closed = closing.close()
            return new Promise(() => {})
          },
        } as never),
      ],
      ports: { approvals },
    })
    const ticketId = (await closing.dispatch(call)).metadata.ticketId!
    const stopped = await closing.resume(ticketId, { decision: 'approve' })
    expect(stopped).toMatchObject({ status: 'cancelled', metadata: { outcome: 'unknown' } })
    await closed
    expect(approvals.kept.size).toBe(0)
    expect(await gatewayOn().resume(ticketId, { decision: 'approve' })).toMatchObject({
      error: { code: 'approval_expired' },
      metadata: { outcome: 'unknown' },
    })
  })

  it('cannot put it back: the answer says so', async () => {
    const { approvals, gatewayOn } = setUp()
    let closed: Promise<void> | undefined
    const closing = gatewayOn({
      async claim(ticketId) {
        const request = await approvals.claim(ticketId)
        closed = closing.close()
        return request
      },
      put: (request) =>
        closed === undefined ? approvals.put(request) : Promise.reject(new Error('down')),
    })
    const ticketId = (await closing.dispatch(call)).metadata.ticketId!
    expect(await closing.resume(ticketId, { decision: 'approve' })).toMatchObject(
      keptFromStarting('could not be put back'),
    )
    await closed
  })
})

describe('a store that gives the call of a ticket when nobody waits for it any more', () => {
  it('has it back: nothing ran, and the ticket waits', async () => {
    const time = createVirtualClock()
    const { approvals, runs, tool } = setUp()
    let answer!: (request: ApprovalRequest | undefined) => void
    const slow = createGateway({
      tools: [tool],
      ports: {
        clock: time.clock,
        approvals: { ...approvals, claim: () => new Promise((resolve) => (answer = resolve)) },
      },
    })
    const ticketId = (await slow.dispatch(call)).metadata.ticketId!
    const late = await time.settle(slow.resume(ticketId, { decision: 'approve' }))
    expect(late.error?.code).toBe('backend_unavailable')
    answer(await approvals.claim(ticketId))
    await expect.poll(() => approvals.kept.has(ticketId)).toBe(true)
    expect(runs).toEqual([])
  })
})
