import { createGateway, type Gateway, type GatewayOptions } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents, Logger, Ports } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { call, gatewayOf, send, store } from './support.ts'

function logged(): { readonly lines: string[]; readonly log: Logger } {
  const lines: string[] = []
  const note = (message: string, fields?: object): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, log: { debug: note, info: note, warn: note, error: note } }
}

describe('a ticket', () => {
  it('is tied to what was asked also without a key', async () => {
    for (const change of [
      { arguments: { to: 'b' }, digest: 'x' },
      { context: { roles: ['admin'] } },
      { context: { deadlineMs: 60_000 } },
      { expiresAt: 9e15 },
      { ticketId: 'another' },
    ]) {
      const approvals = store()
      const gateway = gatewayOf({ ports: { approvals } })
      const ticketId = (await gateway.dispatch(call)).metadata.ticketId!
      const request = JSON.parse(approvals.kept.get(ticketId)!) as object
      approvals.kept.set(ticketId, JSON.stringify({ ...request, ...change }))
      expect((await gateway.resume(ticketId, { decision: 'approve' })).error).toMatchObject({
        code: 'approval_denied',
        rule: 'ticket',
      })
    }
  })

  it('survives a store whatever the context of the call holds', async () => {
    const approvals = store()
    const gateway = gatewayOf({ ports: { approvals }, ticketKey: 'k' })
    const context = { user: undefined, labels: { a: 'b' }, since: new Date(0), big: 7n }
    const { metadata } = await gateway.dispatch(call, context as never)
    const resumed = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(resumed).toMatchObject({ status: 'ok', data: { to: 'a' } })
  })

  it('of a call with all the time there is has all the time there is', async () => {
    const gateway = gatewayOf({ ports: { approvals: store() } })
    const { metadata } = await gateway.dispatch(call, { deadlineMs: Infinity })
    const resumed = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(resumed).toMatchObject({ status: 'ok', data: { to: 'a' } })
  })

  it('cannot be guessed from another one', async () => {
    const approvals = store()
    const gateway = gatewayOf({ ports: { approvals } })
    const ids = [await gateway.dispatch(call), await gateway.dispatch(call)].map(
      ({ metadata }) => metadata.ticketId!,
    )
    expect(ids[0]!.slice(7, 20)).not.toBe(ids[1]!.slice(7, 20))
  })

  it('is for its arguments though nobody asks any more', async () => {
    const approvals = store()
    const first = createGateway({ tools: [send()], ports: { approvals } })
    const { metadata } = await first.dispatch(call)
    const hooks = createHookBus<CallgateEvents>()
    const second = createGateway({ tools: [send()], hooks, ports: { approvals } })
    const resumed = await second.resume(metadata.ticketId!, { decision: 'approve' })
    expect(resumed.metadata.ticketId).toBe(metadata.ticketId)
  })

  it('of edited arguments is asked for again', async () => {
    const approvals = store()
    const gateway = gatewayOf({ ports: { approvals } })
    const { metadata } = await gateway.dispatch(call)
    const edited = await gateway.resume(metadata.ticketId!, {
      decision: 'edit',
      arguments: { to: 'b' },
    })
    expect(edited.status).toBe('pending')
    const done = await gateway.resume(edited.metadata.ticketId!, { decision: 'approve' })
    expect(done).toMatchObject({ callId: 'c1', status: 'ok', data: { to: 'b' } })
  })
})

describe('a ticket that is not the one that was asked for', () => {
  it('stays where it was, for whoever has its key', async () => {
    const approvals = store()
    const ours = gatewayOf({ ports: { approvals }, ticketKey: 'ours' })
    const ticketId = (await ours.dispatch(call)).metadata.ticketId!
    const { lines, log } = logged()
    const others = gatewayOf({ ports: { approvals }, ticketKey: 'another', log })
    for (const decision of ['approve', 'deny'] as const) {
      const refused = await others.resume(ticketId, { decision })
      expect(refused.error).toMatchObject({
        rule: 'ticket',
        hint: expect.stringContaining('ticketKey'),
      })
    }
    expect(lines).toEqual(Array(2).fill(expect.stringMatching(/ticketKey.*ticket_/)))
    expect((await ours.resume(ticketId, { decision: 'approve' })).status).toBe('ok')
  })

  it('takes the place of no other when it goes back', async () => {
    const approvals = store()
    const gateway = gatewayOf({ ports: { approvals }, ticketKey: 'k' })
    const ticketId = (await gateway.dispatch(call)).metadata.ticketId!
    const forged = { ...JSON.parse(approvals.kept.get(ticketId)!), arguments: { to: 'b' } }
    approvals.kept.set('forged.x', JSON.stringify(forged))
    const refused = await gateway.resume('forged.x', { decision: 'approve' })
    expect(refused.error?.rule).toBe('ticket')
    const resumed = await gateway.resume(ticketId, { decision: 'approve' })
    expect(resumed).toMatchObject({ status: 'ok', data: { to: 'a' } })
  })
})

describe('a store that outlives the gateway', () => {
  it('is warned of where its tickets are not signed', () => {
    const warned = (more: GatewayOptions): readonly string[] => {
      const { lines, log } = logged()
      gatewayOf({ log, ...more })
      return lines
    }
    expect(warned({ ports: { approvals: store() } })).toEqual([
      expect.stringContaining('ticketKey'),
    ])
    expect(warned({ ports: { approvals: store() }, ticketKey: 'k' })).toEqual([])
    expect(warned({ ports: { approvals: { ...store(), durable: false } } })).toEqual([])
  })
})

describe('a signed ticket', () => {
  it('is refused when anything of the stored request was changed, and when another key made it', async () => {
    const make = (approvals: Ports['approvals'], ticketKey: string): Gateway =>
      createGateway({ tools: [send()], ports: { approvals }, ticketKey })
    const pendingOf = async (approvals: Ports['approvals']): Promise<string> =>
      (await make(approvals, 'one key').dispatch(call)).metadata.ticketId!
    const answer = async (approvals: Ports['approvals'], ticketId: string, key = 'one key') =>
      make(approvals, key).resume(ticketId, { decision: 'approve' })

    const honest = store()
    expect((await answer(honest, await pendingOf(honest))).status).toBe('ok')
    const other = store()
    expect((await answer(other, await pendingOf(other), 'another key')).error?.rule).toBe('ticket')
    for (const change of [
      { arguments: { to: 'b' } },
      { tool: 'local::other' },
      { context: { roles: ['admin'] } },
      { expiresAt: Infinity },
      { digest: 'x' },
    ]) {
      const approvals = store()
      const ticketId = await pendingOf(approvals)
      const forged: Ports['approvals'] = {
        ...approvals,
        async claim(id) {
          const request = await approvals.claim(id)
          return request && { ...request, ...change }
        },
      }
      expect((await answer(forged, ticketId)).error).toMatchObject({
        code: 'approval_denied',
        rule: 'ticket',
      })
    }
  })
})
