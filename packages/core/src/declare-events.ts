import type { HookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'

/** Kinds and fault rules of the events (R4.2, R4.3): what guards fails closed, what watches is ignored. */
export function declareEvents(bus: HookBus<CallgateEvents>): void {
  bus.declare('pre_tool_call', { kind: 'gate', fault: 'block' })
  bus.declare('tool_execution', { kind: 'around', fault: 'block' })
  bus.declare('tool_error', { kind: 'transform', fault: 'keep', timeoutMs: 2000 })
  bus.declare('transform_tool_result', { kind: 'transform', fault: 'keep' })
  bus.declare('tools_listed', { kind: 'transform', fault: 'keep', timeoutMs: 1000 })
  for (const event of [
    'post_tool_call',
    'approval_request',
    'approval_decision',
    'turn_start',
    'batch_expanded',
    'turn_end',
  ] as const) {
    bus.declare(event, { kind: 'observe', fault: 'ignore' })
  }
}
