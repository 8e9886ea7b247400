import type { EventRule, HookBus } from '@callgate/hooks'
import type { CallgateEvents } from '@callgate/spec'

const observed: EventRule = { kind: 'observe', fault: 'ignore' }

/** Kinds, fault rules and times of the events (R4.2, R4.3): what guards fails closed, what watches is ignored. */
const rules: { readonly [E in keyof CallgateEvents]: EventRule } = {
  pre_tool_call: { kind: 'gate', fault: 'block' },
  tool_execution: { kind: 'around', fault: 'block' },
  tool_error: { kind: 'transform', fault: 'keep', timeoutMs: 2000 },
  transform_tool_result: { kind: 'transform', fault: 'keep' },
  tools_listed: { kind: 'transform', fault: 'keep', timeoutMs: 1000 },
  post_tool_call: observed,
  approval_request: observed,
  approval_decision: observed,
  turn_start: observed,
  batch_expanded: observed,
  turn_end: observed,
  gateway_start: observed,
  gateway_stop: observed,
  adapter_up: observed,
  adapter_down: observed,
}

/** The events that a gateway fires. */
export const ourEvents: readonly string[] = Object.keys(rules)

export function isOurEvent(event: string): boolean {
  return Object.hasOwn(rules, event)
}

export function declareEvents(bus: HookBus<CallgateEvents>): void {
  for (const event of ourEvents) {
    bus.declare(event as keyof CallgateEvents, rules[event as keyof CallgateEvents])
  }
}
