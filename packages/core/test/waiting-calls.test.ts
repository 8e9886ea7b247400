import { createHookBus } from '@callgate/hooks'
import {
  ToolError,
  type ApprovalDecision,
  type ApprovalRequest,
  type CallgateEvents,
  type Ports,
} from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { gatewayOf, tool } from './tools.ts'

/** A durable store in memory; `before` is waited for before a ticket is put into it. */
function durable(before: () => Promise<void> = async () => {}): {
  readonly waiting: Map<string, ApprovalRequest>
  readonly approvals: Ports['approvals']
} {
  const waiting = new Map<string, ApprovalRequest>()
  return {
    waiting,
    approvals: {
      durable: true,
      async put(request) {
        await before()
        waiting.set(request.ticketId, request)
      },
      decide: async (ticketId) => (waiting.delete(ticketId) ? 'decided' : 'gone'),
      async claim(ticketId) {
        const request = waiting.get(ticketId)
        waiting.delete(ticketId)
        return request
      },
      withdraw: async (ticketId) => void waiting.delete(ticketId),
      list: async () => [...waiting.values()],
      grant: async () => {},
      granted: async () => false,
    },
  }
}

const confirmed = tool('confirmed', (args) => args, { confirm: true })
const broken = (more: object) =>
  tool(
    'broken',
    () => {
      throw new ToolError({ code: 'backend_unavailable', message: 'away', started: 'no' })
    },
    more,
  )

describe('a call that is stopped while its ticket is put into the store', () => {
  it('leaves no ticket that somebody could answer later', async () => {
    const putting = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { waiting, approvals } = durable(() => {
      begun.resolve()
      return putting.promise
    })
    const withdrawn = Promise.withResolvers<string>()
    const gateway = gatewayOf([confirmed], {
      ports: {
        approvals: {
          ...approvals,
          async withdraw(ticketId) {
            await approvals.withdraw(ticketId)
            withdrawn.resolve(ticketId)
          },
        },
      },
    })
    const stop = new AbortController()
    const running = gateway.dispatch({ name: 'confirmed', arguments: {} }, { signal: stop.signal })
    await begun.promise
    stop.abort()
    expect((await running).status).toBe('cancelled')
    putting.resolve()
    await withdrawn.promise
    expect(waiting.size).toBe(0)
  })
})

describe('a call that is stopped while the store of approvals does not answer', () => {
  it.each(['withdraw', 'decide', 'grant'] as const)('at %s has its answer soon', async (member) => {
    const stop = new AbortController()
    const hangs = (): Promise<never> => {
      stop.abort()
      return new Promise(() => {})
    }
    // Who waits for a store waits for ever.
    const clock = {
      now: () => performance.now(),
      setTimeout: (run: () => void, ms: number) => (ms < 1000 ? setTimeout(run, ms) : undefined),
      clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
    }
    const gateway = gatewayOf([confirmed], {
      ports: { clock, approvals: { ...durable().approvals, [member]: hangs } },
      approver: async () => {
        if (member === 'withdraw') throw new Error('away')
        return { decision: 'approve', scope: 'always' }
      },
    })
    const call = { name: 'confirmed', arguments: {} }
    const result = await gateway.dispatch(call, { signal: stop.signal })
    expect(result.metadata.outcome).toBe('not_started')
  })
})

describe('a call that a model sends again and again while it waits', () => {
  it('runs when a person approves it', async () => {
    const { approvals } = durable()
    const gateway = gatewayOf([confirmed], { ports: { approvals } })
    const call = { name: 'confirmed', arguments: { x: 1 } }
    const context = { sessionId: 's' }
    const { metadata } = await gateway.dispatch(call, context)
    for (let time = 0; time < 9; time++) await gateway.dispatch(call, context)
    expect((await gateway.dispatch(call, context)).error?.code).toBe('repeated_failure')
    const result = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(result).toMatchObject({ status: 'ok', data: { x: 1 } })
  })
})

describe('a grant for a call', () => {
  it('covers no rule by which nobody was asked before', async () => {
    const hooks = createHookBus<CallgateEvents>()
    let isOdd = false
    hooks.on('pre_tool_call', () =>
      isOdd ? { action: 'ask', message: 'This is odd.', rule: 'odd' } : undefined,
    )
    const asked: (readonly string[])[] = []
    const gateway = gatewayOf([confirmed], {
      hooks,
      async approver({ rules }) {
        asked.push(rules)
        return { decision: 'approve', scope: 'always' }
      },
    })
    const call = { name: 'confirmed', arguments: { x: 1 } }
    const make = () => gateway.dispatch(call)
    await make()
    await make()
    expect(asked).toEqual([[]])
    isOdd = true
    await make()
    await make()
    expect(asked).toEqual([[], ['odd']])
    isOdd = false
    await make()
    expect(asked).toHaveLength(2)
  })
})

describe('the answer to a call that waits', () => {
  it('that says no says it also when it comes late', async () => {
    let now = 0
    const clock = {
      now: () => now,
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
      clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
    }
    const answered = async (decision: ApprovalDecision) => {
      const { approvals } = durable()
      const gateway = gatewayOf([confirmed], { ports: { approvals, clock } })
      const { metadata } = await gateway.dispatch({ name: 'confirmed', arguments: {} })
      now += 1_000_000
      return (await gateway.resume(metadata.ticketId!, decision)).error?.code
    }
    expect(await answered({ decision: 'deny' })).toBe('approval_denied')
    expect(await answered({ decision: 'approve' })).toBe('approval_expired')
  })

  it('stays with whoever gave it, also where hooks are told of it', async () => {
    const hooks = createHookBus<CallgateEvents>()
    const told: unknown[] = []
    hooks.on('approval_decision', ({ decision }) => void told.push(decision))
    const { approvals } = durable()
    const gateway = gatewayOf([confirmed], { hooks, ports: { approvals } })
    const { metadata } = await gateway.dispatch({ name: 'confirmed', arguments: {} })
    const decision = { decision: 'edit' as const, arguments: { list: [1] } }
    await gateway.resume(metadata.ticketId!, decision)
    await hooks.idle()
    expect(told).toEqual([{ decision: 'edit', arguments: { list: [1] } }])
    decision.arguments.list.push(2)
    expect(decision.arguments.list).toEqual([1, 2])
  })
})

describe('a call with a schema that makes something else of its arguments', () => {
  const parameters = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => {
        const { list } = value as { list: unknown }
        return typeof list === 'string'
          ? { value: { list: list.split(',') } }
          : { issues: [{ message: 'text' }] }
      },
      jsonSchema: {
        input: () => ({
          type: 'object',
          properties: { list: { type: 'string' } },
          required: ['list'],
        }),
      },
    },
  }

  it('runs with what was approved when it goes on later', async () => {
    const { approvals } = durable()
    const split = tool('split', (args) => args, { confirm: true, parameters })
    const gateway = gatewayOf([split], { ports: { approvals } })
    const { metadata } = await gateway.dispatch({ name: 'split', arguments: { list: 'a,b' } })
    const result = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(result).toMatchObject({ status: 'ok', data: { list: ['a', 'b'] } })
  })

  it('does not run with other arguments than those that were approved', async () => {
    const { approvals, waiting } = durable()
    const split = tool('split', (args) => args, { confirm: true, parameters })
    const gateway = gatewayOf([split], { ports: { approvals } })
    const { metadata } = await gateway.dispatch({ name: 'split', arguments: { list: 'a,b' } })
    const [[ticketId, request]] = [...waiting] as [[string, ApprovalRequest]]
    waiting.set(ticketId, { ...request, arguments: { list: ['c'] } })
    const result = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(result).toMatchObject({ status: 'denied', error: { code: 'approval_denied' } })
  })
})

describe('a fallback', () => {
  it('that waits for a person is the answer', async () => {
    const { approvals } = durable()
    const gateway = gatewayOf([broken({ fallback: ['local::confirmed'] }), confirmed], {
      ports: { approvals },
    })
    const first = await gateway.dispatch({ name: 'broken', arguments: { x: 1 } })
    expect(first).toMatchObject({ status: 'pending', error: { code: 'approval_required' } })
    const then = await gateway.resume(first.metadata.ticketId!, { decision: 'approve' })
    expect(then).toMatchObject({ status: 'ok', data: { x: 1 } })
  })

  it('answers for a tool that was approved and is away then', async () => {
    const { approvals } = durable()
    const instead = tool('instead', (args) => args)
    const first = broken({ confirm: true, fallback: ['local::instead'] })
    const gateway = gatewayOf([first, instead], { ports: { approvals } })
    const { metadata } = await gateway.dispatch({ name: 'broken', arguments: { x: 1 } })
    const then = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(then).toMatchObject({
      status: 'ok',
      data: { x: 1 },
      metadata: { answeredBy: 'local::instead' },
    })
  })

  it('of an approved tool is asked about by itself', async () => {
    const { approvals } = durable()
    const first = broken({ confirm: true, fallback: ['local::confirmed'] })
    const gateway = gatewayOf([first, confirmed], { ports: { approvals } })
    const { metadata } = await gateway.dispatch({ name: 'broken', arguments: { x: 1 } })
    const then = await gateway.resume(metadata.ticketId!, { decision: 'approve' })
    expect(then.status).toBe('pending')
    expect(then.metadata.ticketId).not.toBe(metadata.ticketId)
  })

  it('that fails too does not change what is known of the first tool', async () => {
    const slow = tool('slow', () => new Promise(() => {}), {
      timeoutMs: 20,
      effects: { idempotent: true },
      fallback: ['local::broken'],
    })
    const result = await gatewayOf([slow, broken({})]).dispatch({ name: 'slow', arguments: {} })
    expect(result).toMatchObject({ error: { code: 'timeout' }, metadata: { outcome: 'unknown' } })
  })
})
