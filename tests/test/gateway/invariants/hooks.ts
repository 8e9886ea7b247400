import { createHookBus, type HookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'

import type { VirtualClock } from '../../../src/virtual-clock.ts'
import type { Answer, Scenario } from './scenario.ts'
import type { Seen } from './seen.ts'

function hookAnswer(answer: Answer): unknown {
  switch (answer) {
    case 'throw':
      throw new Error('hook')
    case 'nonsense':
      return 'yes'
    case 'never':
      return new Promise(() => {})
    case 'rewrite':
      return { action: 'modify', args: { n: 99 } }
    case 'nothing':
      return undefined
    default:
      return { action: answer }
  }
}

export function hooksOf(
  { hooks }: Scenario,
  seen: Seen,
  time: VirtualClock,
): HookBus<CallgateEvents> {
  const bus = createHookBus<CallgateEvents>({ clock: time.clock, timeoutMs: 200 })
  for (const { answer, later, tool } of hooks) {
    const handler = later ? async () => hookAnswer(answer) : () => hookAnswer(answer)
    bus.on('pre_tool_call', handler as never, {
      kind: answer === 'rewrite' ? 'transform' : 'gate',
      match: tool,
    })
  }
  bus.on('pre_tool_call', ({ arguments: args }) => void seen.gated.add(args), {
    kind: 'gate',
    phase: 'late',
  })
  bus.on('post_tool_call', ({ callId }) => void seen.posts.push(callId))
  return bus
}
