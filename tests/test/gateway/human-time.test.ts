import { createGateway, type GatewayOptions } from '@callgate/core'
import { createHookBus } from '@callgate/hooks'
import type { CallgateEvents, CallPayload, ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { createVirtualClock } from '../../src/virtual-clock.ts'
import { call, never, tool } from './support.ts'

const confirmed = tool('confirmed', () => 'ran', { confirm: true })

/** A tool of two steps, the first of which asks a human. */
function two(second: string, timeoutMs: number): ToolDefinition {
  return {
    namespace: 'local',
    name: 'two',
    description: 'Does both.',
    parameters: { type: 'object' },
    timeoutMs,
    backend: {
      adapter: 'composite',
      steps: [{ tool: 'local::confirmed' }, { tool: `local::${second}` }],
    },
  }
}

describe('a human who is asked for a step of a composite tool', () => {
  it('takes no time of the tool, nor of its caller', async () => {
    const time = createVirtualClock()
    const approver: GatewayOptions['approver'] = async () => {
      await new Promise<void>((resolve) => time.clock.setTimeout(resolve, 150_000))
      return { decision: 'approve' }
    }
    const gateway = createGateway({
      tools: [confirmed, two('confirmed', 60)],
      approver,
      ports: { clock: time.clock },
    })
    const result = await time.settle(gateway.dispatch(call('two'), { deadlineMs: 100 }))
    expect(result).toMatchObject({ status: 'ok' })
  })

  it('leaves the timeout of the tool as it is where it does not answer for its own part', async () => {
    const time = createVirtualClock()
    const gateway = createGateway({
      tools: [confirmed, tool('slow', () => never, { timeoutMs: 10_000 }), two('slow', 60)],
      approver: async () => ({ decision: 'approve' }),
      ports: { clock: time.clock },
    })
    const { error } = await time.settle(gateway.dispatch(call('two')))
    expect(error?.code).toBe('timeout')
  })
})

describe('a human who is asked for a call that a hook makes', () => {
  /** A hook on `local::plain` that makes the call which asks, and is slow itself if told so. */
  function hooked(event: 'pre_tool_call' | 'tool_execution', ownMs: number) {
    const time = createVirtualClock()
    const { clock } = time
    const pass = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms))
    const hooks = createHookBus<CallgateEvents>({ clock, timeoutMs: 1000 })
    const inside = async (payload: CallPayload): Promise<void> => {
      await payload.call(call('confirmed'))
      await pass(ownMs)
    }
    const match = { match: '*::plain' }
    if (event === 'pre_tool_call') hooks.on(event, inside, match)
    else hooks.on(event, async (payload) => (await inside(payload), payload.next()), match)
    const gateway = createGateway({
      tools: [confirmed, tool('plain', () => 'ran')],
      hooks,
      approver: async () => (await pass(100_000), { decision: 'approve' }),
      ports: { clock },
    })
    return time.settle(gateway.dispatch(call('plain')))
  }

  it.each(['pre_tool_call', 'tool_execution'] as const)(
    'takes no time of it: %s',
    async (event) => {
      expect(await hooked(event, 500)).toMatchObject({ status: 'ok', data: 'ran' })
    },
  )

  it.each(['pre_tool_call', 'tool_execution'] as const)(
    'leaves it the time that it has itself: %s',
    async (event) => {
      expect((await hooked(event, 2000)).error?.code).toBe('hook_failed')
    },
  )
})
