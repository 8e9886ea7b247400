import { createGateway } from '@callgate/core'
import type { ApprovalDecision } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../../src/virtual-clock.ts'
import { call, gatewayOf, never, send, store } from './support.ts'

describe('a store that answers with rows', () => {
  it('grants nothing by them', async () => {
    const approvals = store({ granted: async () => [] as never })
    expect((await gatewayOf({ ports: { approvals } }).dispatch(call)).status).toBe('pending')
  })
})

describe('a store of approvals that fails or never answers', () => {
  const approve = async (): Promise<ApprovalDecision> => ({ decision: 'approve', scope: 'always' })

  it.each(['granted', 'put', 'decide'] as const)(
    'at %s: the call is refused and does not run',
    async (method) => {
      for (const fault of [() => never, () => Promise.reject(new Error('down'))]) {
        const time = createVirtualClock()
        let ran = false
        const gateway = createGateway({
          tools: [{ ...send(), execute: () => (ran = true) }],
          approver: approve,
          ports: { clock: time.clock, approvals: store({ [method]: fault }) },
        })
        const { status, error } = await time.settle(gateway.dispatch(call))
        expect({ status, code: error?.code }).toEqual({
          status: 'denied',
          code: 'approval_denied',
        })
        expect(ran).toBe(false)
      }
    },
  )

  it.each(['grant', 'withdraw'] as const)('at %s: what was decided stands', async (method) => {
    const time = createVirtualClock()
    const approvals = store({ [method]: () => never })
    const answered = method === 'grant' ? approve : () => never
    const gateway = gatewayOf({ approver: answered, ports: { clock: time.clock, approvals } })
    const { status, error } = await time.settle(gateway.dispatch(call))
    expect(error?.code ?? status).toBe(method === 'grant' ? 'ok' : 'approval_expired')
  })

  it('at claim: nothing runs, and the answer says so', async () => {
    const time = createVirtualClock()
    const approvals = store({ claim: () => never })
    const gateway = gatewayOf({ ports: { clock: time.clock, approvals } })
    const resumed = await time.settle(gateway.resume('t', { decision: 'approve' }))
    expect(resumed.error).toMatchObject({ code: 'backend_unavailable' })
  })

  it('is left without a ticket when the call is stopped, or nobody answers in time', async () => {
    const time = createVirtualClock()
    const approvals = store()
    const gateway = gatewayOf({ approver: () => never, ports: { clock: time.clock, approvals } })
    const stop = new AbortController()
    time.clock.setTimeout(() => stop.abort(), 10)
    const stopped = time.settle(gateway.dispatch(call, { signal: stop.signal }))
    expect((await stopped).status).toBe('cancelled')
    expect((await time.settle(gateway.dispatch(call))).error?.code).toBe('approval_expired')
    expect(await approvals.list()).toEqual([])
  })

  it('does not hold up a stop', async () => {
    const time = createVirtualClock()
    const approvals = store({ granted: () => never })
    const gateway = gatewayOf({ ports: { clock: time.clock, approvals } })
    const stop = new AbortController()
    time.clock.setTimeout(() => stop.abort(), 10)
    const startedAt = time.clock.now()
    const { status } = await time.settle(gateway.dispatch(call, { signal: stop.signal }))
    expect({ status, ms: time.clock.now() - startedAt }).toEqual({ status: 'cancelled', ms: 10 })
  })
})
