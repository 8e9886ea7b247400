import {
  createGateway,
  defineTool,
  memoryAudit,
  type Gateway,
  type GatewayOptions,
} from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import {
  InvalidOptionsError,
  type ApprovalDecision,
  type ApprovalGrant,
  type ApprovalRequest,
  type CallgateEvents,
  type Ports,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'

const send = defineTool({
  namespace: 'local',
  name: 'send',
  description: 'Sends a message.',
  parameters: {
    type: 'object',
    properties: { to: { type: 'string' }, times: { type: 'integer' } },
    required: ['to'],
    additionalProperties: false,
  },
  confirm: true,
  confirmMessage: 'Send to {to}, {missing}?',
  execute: (args) => args,
})

function gatewayWith(
  answer: ((request: ApprovalRequest) => Promise<ApprovalDecision>) | undefined,
  more: Partial<GatewayOptions> = {},
): Gateway {
  return createGateway({ tools: [send], ...(answer && { approver: answer }), ...more })
}

/** Approvals that outlive a gateway, kept as text as a store would. */
function durableApprovals(): Ports['approvals'] {
  const pending = new Map<string, string>()
  const grants: ApprovalGrant[] = []
  return {
    durable: true,
    put: async (request) => void pending.set(request.ticketId, JSON.stringify(request)),
    decide: async (ticketId) => (pending.delete(ticketId) ? 'decided' : 'gone'),
    async claim(ticketId) {
      const text = pending.get(ticketId)
      pending.delete(ticketId)
      return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest)
    },
    withdraw: async (ticketId) => void pending.delete(ticketId),
    list: async () => [...pending.values()].map((text) => JSON.parse(text) as ApprovalRequest),
    grant: async (grant) => void grants.push(grant),
    granted: async () => false,
  }
}

describe('an approval', () => {
  it('shows a human what will run: the arguments after repair and hooks, with their digest (apr-02)', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'modify', args: { to: 'team@example.test' } }), {
      kind: 'transform',
    })
    const seen: ApprovalRequest[] = []
    const gateway = gatewayWith(
      async (request) => {
        seen.push(request)
        return { decision: 'approve' }
      },
      { hooks },
    )
    const { data, metadata } = await gateway.dispatch({
      name: 'send',
      arguments: { to: 'x@example.test', times: '2' },
    })
    expect(seen[0]).toMatchObject({
      arguments: { to: 'team@example.test', times: 2 },
      message: 'Send to team@example.test, {missing}?',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      repairs: [{ path: '/times' }],
    })
    expect(data).toEqual(seen[0]!.arguments)
    expect(metadata.ticketId).toBe(seen[0]!.ticketId)
  })

  it('given without arguments leaves them as they are (apr-03)', async () => {
    const gateway = gatewayWith(
      async () => ({ decision: 'approve', arguments: {} }) as ApprovalDecision,
    )
    expect((await gateway.dispatch({ name: 'send', arguments: { to: 'a' } })).data).toEqual({
      to: 'a',
    })
  })

  it('refused, thrown, malformed, or with nobody to ask, keeps the tool from running', async () => {
    const ask = async (answer?: () => Promise<ApprovalDecision>) =>
      (await gatewayWith(answer).dispatch({ name: 'send', arguments: { to: 'a' } })).error
    expect(await ask(async () => ({ decision: 'deny', reason: 'not now' }))).toMatchObject({
      code: 'approval_denied',
      message: expect.stringContaining('not now') as string,
    })
    expect(await ask(() => Promise.reject(new Error('x')))).toMatchObject({
      code: 'approval_denied',
    })
    expect(
      await ask(() => {
        throw new Error('x')
      }),
    ).toMatchObject({ code: 'approval_denied' })
    expect(await ask(async () => 'yes' as never)).toMatchObject({ code: 'approval_denied' })
    expect(await ask()).toMatchObject({ code: 'approval_denied' })
  })

  it('expires, and a stop withdraws it', async () => {
    const time = createVirtualClock()
    const never = new Promise<never>(() => {})
    const gateway = gatewayWith(() => never, { ports: { clock: time.clock } })
    const call = { name: 'send', arguments: { to: 'a' } }
    expect((await time.settle(gateway.dispatch(call))).error?.code).toBe('approval_expired')
    const stop = new AbortController()
    const stopped = gateway.dispatch(call, { signal: stop.signal })
    stop.abort()
    expect((await stopped).error?.code).toBe('cancelled')
  })

  it('waiting for a human counts for no timeout', async () => {
    const time = createVirtualClock()
    const gateway = gatewayWith(
      () =>
        new Promise((resolve) =>
          time.clock.setTimeout(() => resolve({ decision: 'approve' }), 200_000),
        ),
      { ports: { clock: time.clock }, policy: { timeoutMs: 1000 } },
    )
    const call = gateway.dispatch({ name: 'send', arguments: { to: 'a' } }, { deadlineMs: 1000 })
    expect((await time.settle(call)).status).toBe('ok')
  })

  it('with edited arguments is asked again about those, and they are validated', async () => {
    const asked: unknown[] = []
    const gateway = gatewayWith(async ({ arguments: args }) => {
      asked.push(args)
      return asked.length === 1
        ? { decision: 'edit', arguments: { to: 'b', times: '3' } }
        : { decision: 'approve' }
    })
    expect((await gateway.dispatch({ name: 'send', arguments: { to: 'a' } })).data).toEqual({
      to: 'b',
      times: 3,
    })
    expect(asked).toEqual([{ to: 'a' }, { to: 'b', times: 3 }])
    const bad = gatewayWith(async () => ({ decision: 'edit', arguments: { nobody: 1 } }))
    expect((await bad.dispatch({ name: 'send', arguments: { to: 'a' } })).error?.code).toBe(
      'invalid_arguments',
    )
  })

  it('for the session covers the session, once covers nothing more', async () => {
    const scopes = ['once', 'session', 'once'] as const
    let asked = 0
    const gateway = gatewayWith(async () => ({ decision: 'approve', scope: scopes[asked++]! }))
    const call = { name: 'send', arguments: { to: 'a' } }
    await gateway.dispatch(call, { sessionId: 's' })
    await gateway.dispatch(call, { sessionId: 's' })
    await gateway.dispatch(call, { sessionId: 's' })
    expect(asked).toBe(2)
    await gateway.dispatch(call, { sessionId: 'other' })
    expect(asked).toBe(3)
  })

  it('of two waiting calls may be answered in any order (apr-04)', async () => {
    const answers = new Map<string, (decision: ApprovalDecision) => void>()
    const gateway = gatewayWith(
      ({ callId }) => new Promise((resolve) => answers.set(callId, resolve)),
    )
    const calls = ['k1', 'k2'].map((id) =>
      gateway.dispatch({ id, name: 'send', arguments: { to: id } }),
    )
    await expect.poll(() => answers.size).toBe(2)
    answers.get('k2')!({ decision: 'approve' })
    answers.get('k1')!({ decision: 'deny' })
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(['denied', 'ok'])
  })
})

describe('a pending approval', () => {
  const call = { id: 'c1', name: 'send', arguments: { to: 'a', times: '2' } }

  it.each([[undefined], [null], [{}], [{ decision: 'yes' }], ['approve']])(
    'is not used up by an answer that says nothing: %j',
    async (answer) => {
      const gateway = gatewayWith(undefined, { ports: { approvals: durableApprovals() } })
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
    const approvals = durableApprovals()
    const other = defineTool({
      namespace: 'local',
      name: 'other',
      description: 'x',
      parameters: true,
      execute: () => 'done',
    })
    const first = createGateway({ tools: [send, other], ports: { approvals } })
    const { results } = await first.runTurn(
      { toolCalls: [call, { id: 'c2', name: 'other', arguments: {} }] },
      { sessionId: 's' },
    )
    expect(results).toMatchObject([
      { status: 'pending', error: { code: 'approval_required', status: 202 } },
      { status: 'ok', data: 'done' },
    ])
    await first.close()
    const second = createGateway({ tools: [send, other], ports: { approvals } })
    const { ticketId } = results[0]!.metadata
    const resumed = await second.resume(ticketId!, { decision: 'approve' })
    expect(resumed).toMatchObject({ callId: 'c1', status: 'ok', data: { to: 'a', times: 2 } })
    expect((await second.resume(ticketId!, { decision: 'approve' })).error?.code).toBe(
      'approval_expired',
    )
  })

  async function pendingTicket(approvals: Ports['approvals']): Promise<string> {
    const { metadata } = await createGateway({ tools: [send], ports: { approvals } }).dispatch(call)
    return metadata.ticketId!
  }

  it('runs no hook transform twice, and asks the gates again', async () => {
    const approvals = durableApprovals()
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
      return createGateway({ tools: [send], hooks, ports: { approvals } })
    }
    const { metadata } = await withHooks().dispatch(call)
    const resumed = await withHooks().resume(metadata.ticketId!, { decision: 'approve' })
    expect(resumed.data).toEqual({ to: 'a!', times: 2 })
    expect(log).toEqual(['transform', 'gate a!', 'gate a!'])
  })

  it('is refused when the tool changed since, when it is denied, and when it is too late', async () => {
    const approvals = durableApprovals()
    const changed = defineTool({
      ...send,
      description: 'Sends a message and keeps a copy.',
      execute: () => 1,
    } as never)
    const other = createGateway({ tools: [changed], ports: { approvals } })
    expect(
      (await other.resume(await pendingTicket(approvals), { decision: 'approve' })).error?.code,
    ).toBe('definition_changed')
    const same = createGateway({ tools: [send], ports: { approvals } })
    expect(
      (await same.resume(await pendingTicket(approvals), { decision: 'deny' })).error?.code,
    ).toBe('approval_denied')
    const later = createGateway({
      tools: [send],
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
    const approvals = durableApprovals()
    const ticketId = await pendingTicket(approvals)
    const forged: Ports['approvals'] = {
      ...approvals,
      async claim(id) {
        const request = await approvals.claim(id)
        return request && { ...request, arguments: { to: 'attacker' } }
      },
    }
    const gateway = createGateway({ tools: [send], ports: { approvals: forged } })
    expect((await gateway.resume(ticketId, { decision: 'approve' })).error).toMatchObject({
      code: 'approval_denied',
      rule: 'ticket',
    })
  })

  it('resumed twice at the same time runs once', async () => {
    const approvals = durableApprovals()
    const ticketId = await pendingTicket(approvals)
    const gateway = createGateway({ tools: [send], ports: { approvals } })
    const results = await Promise.all(
      [1, 2].map(() => gateway.resume(ticketId, { decision: 'approve' })),
    )
    expect(results.filter(({ status }) => status === 'ok')).toHaveLength(1)
  })
})

describe('contextual risk', () => {
  const query = defineTool({
    namespace: 'local',
    name: 'db_query',
    description: 'Queries a database.',
    parameters: {
      type: 'object',
      properties: { database: { type: 'string' } },
      required: ['database'],
    },
    effects: { readOnly: true },
    permissions: {
      requiredRoles: ['DevOps', 'DataEngineer', 'Admin'],
      riskLevel: 'medium',
      requiresApproval: true,
    },
    execute: ({ database }) => `rows of ${String(database)}`,
  })

  it('gives the three scenarios of the article their three outcomes', async () => {
    const audit = memoryAudit()
    let asked = 0
    const gateway = createGateway({
      tools: [query],
      ports: { audit },
      approver: async ({ risk }) => {
        asked++
        expect(risk?.factors).toEqual(
          expect.arrayContaining(['the data is private', 'no workflow is running']),
        )
        return { decision: 'deny' }
      },
    })
    const ask = (role: string, database: string, workflow?: string) =>
      gateway.dispatch(
        { name: 'db_query', arguments: { database } },
        { roles: [role], ...(workflow && { workflow }) },
      )
    const builder = await ask('Builder', 'production')
    expect(builder.error?.code).toBe('permission_denied')
    const deploying = await ask('DevOps', 'analytics in production', 'deploy_v2.3.1_to_production')
    expect(deploying.status).toBe('ok')
    expect(asked).toBe(0)
    const exploring = await ask('DevOps', 'user_profiles')
    expect(exploring.error?.code).toBe('approval_denied')
    expect(asked).toBe(1)
    expect(audit.entries()).toMatchObject([
      { code: 'permission_denied' },
      { status: 'ok', risk: { level: 'medium' } },
      { code: 'approval_denied', risk: { level: 'high' } },
    ])
  })
})

describe('a signed ticket', () => {
  it('is refused when anything of the stored request was changed, and when another key made it', async () => {
    const call = { id: 'c1', name: 'send', arguments: { to: 'a' } }
    const make = (approvals: Ports['approvals'], ticketKey: string): Gateway =>
      createGateway({ tools: [send], ports: { approvals }, ticketKey })
    const pendingOf = async (approvals: Ports['approvals']): Promise<string> =>
      (await make(approvals, 'one key').dispatch(call)).metadata.ticketId!
    const answer = async (approvals: Ports['approvals'], ticketId: string, key = 'one key') =>
      make(approvals, key).resume(ticketId, { decision: 'approve' })

    const honest = durableApprovals()
    expect((await answer(honest, await pendingOf(honest))).status).toBe('ok')
    const other = durableApprovals()
    expect((await answer(other, await pendingOf(other), 'another key')).error?.rule).toBe('ticket')
    for (const change of [
      { arguments: { to: 'b' } },
      { tool: 'local::other' },
      { context: { roles: ['admin'] } },
      { expiresAt: Infinity },
      { digest: 'x' },
    ]) {
      const approvals = durableApprovals()
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
