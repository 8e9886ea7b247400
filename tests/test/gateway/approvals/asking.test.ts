import { createGateway, type Gateway, type GatewayOptions } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { ApprovalDecision, ApprovalRequest, CallgateEvents } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../../src/virtual-clock.ts'
import { call, gatewayOf, sendTo, store } from './support.ts'

function gatewayWith(
  answer: ((request: ApprovalRequest) => Promise<ApprovalDecision>) | undefined,
  more: Partial<GatewayOptions> = {},
): Gateway {
  return createGateway({ tools: [sendTo], ...(answer && { approver: answer }), ...more })
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
    const answered = gateway.dispatch(call, { deadlineMs: 1000 })
    expect((await time.settle(answered)).status).toBe('ok')
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

describe('what an approver is shown', () => {
  it('is frozen: it can neither change what runs nor what is granted', async () => {
    const approvals = store()
    const gateway = gatewayOf({
      ports: { approvals },
      approver: async (request) => {
        for (const change of [
          () => Object.assign(request, { tool: 'local::other' }),
          () => (request.rules as string[]).push('every rule'),
          () => Object.assign(request.context, { roles: ['admin'] }),
        ]) {
          expect(change).toThrow(TypeError)
        }
        return { decision: 'approve', scope: 'always' }
      },
    })
    expect((await gateway.dispatch(call)).status).toBe('ok')
    expect(approvals.grants).toMatchObject([{ tool: 'local::send', rules: [] }])
  })
})
