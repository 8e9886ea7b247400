import { createGateway, type GatewayOptions } from '@callgate/core'
import type { ToolDefinition } from '@callgate/spec'
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
