import { createGateway, defineTool, type Gateway } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import { InvalidOptionsError, type CallgateEvents, type Ports } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { sendTo, store } from './support.ts'

describe('a pending approval', () => {
  const call = { id: 'c1', name: 'send', arguments: { to: 'a', times: '2' } }

  it.each([[undefined], [null], [{}], [{ decision: 'yes' }], ['approve']])(
    'is not used up by an answer that says nothing: %j',
    async (answer) => {
      const gateway = createGateway({ tools: [sendTo], ports: { approvals: store() } })
      const { metadata } = await gateway.dispatch(call)
      const resumed = gateway.resume(metadata.ticketId!, answer as never)
      await expect(resumed).rejects.toThrow(InvalidOptionsError)
      expect(await gateway.resume(metadata.ticketId!, { decision: 'approve' })).toMatchObject({
        status: 'ok',
        data: { to: 'a', times: 2 },
      })
    },
  )

  it('ends the turn pending, keeps the results of the siblings, and is resumed elsewhere with exactly what was approved', async () => {
    const approvals = store()
    const other = defineTool({
      namespace: 'local',
      name: 'other',
      description: 'x',
      parameters: true,
      execute: () => 'done',
    })
    const first = createGateway({ tools: [sendTo, other], ports: { approvals } })
    const { results } = await first.runTurn(
      { toolCalls: [call, { id: 'c2', name: 'other', arguments: {} }] },
      { sessionId: 's' },
    )
    expect(results).toMatchObject([
      { status: 'pending', error: { code: 'approval_required', status: 202 } },
      { status: 'ok', data: 'done' },
    ])
    await first.close()
    const second = createGateway({ tools: [sendTo, other], ports: { approvals } })
    const { ticketId } = results[0]!.metadata
    const resumed = await second.resume(ticketId!, { decision: 'approve' })
    expect(resumed).toMatchObject({ callId: 'c1', status: 'ok', data: { to: 'a', times: 2 } })
    expect((await second.resume(ticketId!, { decision: 'approve' })).error?.code).toBe(
      'approval_expired',
    )
  })

  async function pendingTicket(approvals: Ports['approvals']): Promise<string> {
    const { metadata } = await createGateway({ tools: [sendTo], ports: { approvals } }).dispatch(
      call,
    )
    return metadata.ticketId!
  }

  it('runs no hook transform twice, and asks the gates again', async () => {
    const approvals = store()
    const log: string[] = []
    const withHooks = (): Gateway => {
      const hooks = createHookBus<CallgateEvents>()
      hooks.on(
        'pre_tool_call',
        ({ arguments: args }) => {
          log.push('transform')
          return { action: 'modify', args: { to: `${String(args['to'])}!` } }
        },
        { kind: 'transform' },
      )
      hooks.on(
        'pre_tool_call',
        ({ arguments: args }) => void log.push(`gate ${String(args['to'])}`),
      )
      return createGateway({ tools: [sendTo], hooks, ports: { approvals } })
    }
    const { metadata } = await withHooks().dispatch(call)
    const resumed = await withHooks().resume(metadata.ticketId!, { decision: 'approve' })
    expect(resumed.data).toEqual({ to: 'a!', times: 2 })
    expect(log).toEqual(['transform', 'gate a!', 'gate a!'])
  })

  it('is refused when the tool changed since, when it is denied, and when it is too late', async () => {
    const approvals = store()
    const changed = defineTool({
      ...sendTo,
      description: 'Sends a message and keeps a copy.',
      execute: () => 1,
    } as never)
    const other = createGateway({ tools: [changed], ports: { approvals } })
    expect(
      (await other.resume(await pendingTicket(approvals), { decision: 'approve' })).error?.code,
    ).toBe('definition_changed')
    const same = createGateway({ tools: [sendTo], ports: { approvals } })
    expect(
      (await same.resume(await pendingTicket(approvals), { decision: 'deny' })).error?.code,
    ).toBe('approval_denied')
    const later = createGateway({
      tools: [sendTo],
      ports: {
        approvals,
        clock: { now: () => Date.now() + 3_600_000, setTimeout, clearTimeout: () => {} },
      },
    })
    expect(
      (await later.resume(await pendingTicket(approvals), { decision: 'approve' })).error?.code,
    ).toBe('approval_expired')
  })

  it('is refused when the stored arguments are not those that were approved', async () => {
    const approvals = store()
    const ticketId = await pendingTicket(approvals)
    const forged: Ports['approvals'] = {
      ...approvals,
      async claim(id) {
        const request = await approvals.claim(id)
        return request && { ...request, arguments: { to: 'attacker' } }
      },
    }
    const gateway = createGateway({ tools: [sendTo], ports: { approvals: forged } })
    expect((await gateway.resume(ticketId, { decision: 'approve' })).error).toMatchObject({
      code: 'approval_denied',
      rule: 'ticket',
    })
  })

  it('resumed twice at the same time runs once', async () => {
    const approvals = store()
    const ticketId = await pendingTicket(approvals)
    const gateway = createGateway({ tools: [sendTo], ports: { approvals } })
    const results = await Promise.all(
      [1, 2].map(() => gateway.resume(ticketId, { decision: 'approve' })),
    )
    expect(results.filter(({ status }) => status === 'ok')).toHaveLength(1)
  })
})
