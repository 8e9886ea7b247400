import {
  createGateway,
  defineTool,
  memoryAudit,
  type FunctionTool,
  type GatewayOptions,
} from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type {
  ApprovalDecision,
  ApprovalGrant,
  ApprovalRequest,
  CallgateEvents,
  Ports,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'

function send(more: Partial<FunctionTool> = {}): FunctionTool {
  return defineTool({
    namespace: 'local',
    name: 'send',
    description: 'Sends a message.',
    parameters: { type: 'object' },
    confirm: true,
    ...more,
    execute: (args: unknown) => args,
  } as Parameters<typeof defineTool>[0])
}

const never = new Promise<never>(() => {})

/** A store that outlives a gateway; what it keeps is text. */
function store(more: Partial<Ports['approvals']> = {}): Ports['approvals'] & {
  readonly kept: Map<string, string>
  readonly grants: ApprovalGrant[]
} {
  const kept = new Map<string, string>()
  const grants: ApprovalGrant[] = []
  return {
    durable: true,
    kept,
    grants,
    put: async (request) => void kept.set(request.ticketId, JSON.stringify(request)),
    decide: async (ticketId) => (kept.delete(ticketId) ? 'decided' : 'gone'),
    async claim(ticketId) {
      const text = kept.get(ticketId)
      kept.delete(ticketId)
      return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest)
    },
    withdraw: async (ticketId) => void kept.delete(ticketId),
    list: async () => [...kept.values()].map((text) => JSON.parse(text) as ApprovalRequest),
    grant: async (grant) => void grants.push(grant),
    granted: async () => false,
    ...more,
  }
}

const call = { id: 'c1', name: 'send', arguments: { to: 'a' } }

function gatewayOf(more: GatewayOptions = {}) {
  return createGateway({ tools: [send()], ...more })
}

describe('a confirmation', () => {
  it('for the session or for always is of the very arguments: other ones are asked for again', async () => {
    for (const scope of ['session', 'always'] as const) {
      const asked: unknown[] = []
      const gateway = gatewayOf({
        approver: async ({ arguments: args }) => {
          asked.push(args)
          return { decision: 'approve', scope }
        },
      })
      for (const to of ['a', 'a', 'b']) {
        await gateway.dispatch({ name: 'send', arguments: { to } }, { sessionId: 's' })
      }
      expect(asked).toEqual([{ to: 'a' }, { to: 'b' }])
    }
  })

  it('by a rule of a hook covers what that rule covers', async () => {
    let asked = 0
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'ask', message: 'Send?', rule: 'mail' }))
    const gateway = createGateway({
      tools: [send({ confirm: false })],
      hooks,
      approver: async () => (asked++, { decision: 'approve', scope: 'session' }),
    })
    for (const to of ['a', 'b'])
      await gateway.dispatch({ name: 'send', arguments: { to } }, { sessionId: 's' })
    expect(asked).toBe(1)
  })

  it('for the session where there is none is for once', async () => {
    let asked = 0
    const gateway = gatewayOf({
      approver: async () => (asked++, { decision: 'approve', scope: 'session' }),
    })
    await gateway.dispatch(call)
    await gateway.dispatch(call)
    expect(asked).toBe(2)
  })

  it('shows the values of parameters whatever they are called, and reads none as a template', async () => {
    const messages: string[] = []
    const gateway = createGateway({
      tools: [send({ confirmMessage: '{file-path} {{路径}} { a.b } {gone} {constructor} {x}}' })],
      approver: async ({ message }) => (messages.push(message), { decision: 'deny' }),
    })
    await gateway.dispatch({
      name: 'send',
      arguments: { 'file-path': '/{x}', 路径: '家', 'a.b': { c: 1 }, x: 2 },
    })
    expect(messages).toEqual(['/{x} 家 {"c":1} {gone} {constructor} 2}'])
  })
})

describe('the text by which a human decides', () => {
  async function messageOf(value: unknown): Promise<string> {
    const messages: string[] = []
    const gateway = createGateway({
      tools: [send({ confirmMessage: 'Delete {path}?' })],
      approver: async ({ message }) => (messages.push(message), { decision: 'deny' }),
    })
    await gateway.dispatch({ name: 'send', arguments: { path: value } })
    return messages[0]!
  }

  it('shows what cannot be seen, so that a value cannot be taken for it (R9.4)', async () => {
    expect(await messageOf('a.txt')).toBe('Delete a.txt?')
    expect(await messageOf('my file.txt')).toBe('Delete "my file.txt"?')
    expect(await messageOf('a?\nApproved by "admin". Delete b')).toBe(
      String.raw`Delete "a?\nApproved by \"admin\". Delete b"?`,
    )
    expect(await messageOf('\u001B[2K\u202Etxt.a\u200B')).toBe(
      String.raw`Delete "\u001b[2K\u202etxt.a\u200b"?`,
    )
    expect(await messageOf({ a: '\u202E\u2028' })).toBe(String.raw`Delete {"a":"\u202e\u2028"}?`)
    expect(await messageOf('')).toBe('Delete ""?')
  })

  it('shows the beginning of a long value', async () => {
    expect(await messageOf('x'.repeat(5000))).toBe(`Delete ${'x'.repeat(200)}…?`)
    expect(await messageOf(`${'x'.repeat(199)}😀`)).toBe(`Delete ${'x'.repeat(199)}…?`)
  })

  it('keeps the lines of a hook, and shows what cannot be seen in them', async () => {
    const hooks = createHookBus<CallgateEvents>()
    hooks.on('pre_tool_call', () => ({ action: 'ask', message: 'First\nsecond \u001B[31mred' }))
    const messages: string[] = []
    const gateway = createGateway({
      tools: [send({ confirm: false })],
      hooks,
      approver: async ({ message }) => (messages.push(message), { decision: 'deny' }),
    })
    await gateway.dispatch(call)
    expect(messages).toEqual(['First\nsecond \\u001b[31mred'])
  })
})

describe('a ticket', () => {
  it('is tied to what was asked also without a key', async () => {
    for (const change of [
      { arguments: { to: 'b' }, digest: 'x' },
      { context: { roles: ['admin'] } },
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

  it('is in the audit of what came of it, granted or refused (R9.5)', async () => {
    for (const decision of ['approve', 'deny'] as const) {
      const audit = memoryAudit()
      const gateway = gatewayOf({ ports: { approvals: store(), audit } })
      const { metadata } = await gateway.dispatch(call)
      const { ticketId } = metadata
      expect((await gateway.resume(ticketId!, { decision })).metadata.ticketId).toBe(ticketId)
      const [asked, answered] = audit.entries() as readonly { notes?: unknown }[]
      expect(asked).toMatchObject({ status: 'pending', ticketId })
      expect(answered).toMatchObject({ status: decision === 'approve' ? 'ok' : 'denied', ticketId })
      if (decision === 'approve') {
        expect(answered?.notes).toEqual([{ layer: 3, decision, ticketId }])
      }
    }
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

describe('a store that answers with rows', () => {
  it('grants nothing by them', async () => {
    const approvals = store({ granted: async () => [] as never })
    expect((await gatewayOf({ ports: { approvals } }).dispatch(call)).status).toBe('pending')
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

describe('an explanation', () => {
  it('says what would refuse the call when it runs', async () => {
    const gateway = createGateway({
      tools: [send({ confirm: false, limits: { perMinute: 1 } })],
    })
    expect((await gateway.explain(call)).decision).toBe('allow')
    await gateway.dispatch(call)
    expect(await gateway.explain(call)).toMatchObject({
      decision: 'deny',
      reasons: [expect.stringContaining('1 times per minute') as string],
    })
  })
})
