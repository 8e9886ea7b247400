import {
  aBound,
  aFlag,
  aFunction,
  aText,
  checkOptions,
  oneOf,
  unfit,
  type Known,
} from './check-options.ts'
import type { EventRule, HookKind, HookOptions } from './types.ts'

/** One handler as the bus keeps it. */
export interface Registration {
  readonly id: string
  readonly event: string
  readonly handler: (payload: never) => unknown
  readonly options: HookOptions
  readonly sequence: number
  /** When it timed out lately, for tripping. */
  readonly timeouts: number[]
}

const phases = { early: 0, normal: 1, late: 2 } as const
export const kinds: readonly HookKind[] = ['transform', 'gate', 'observe', 'around']

const hookOptions: Known<HookOptions> = {
  id: aText,
  kind: oneOf(kinds),
  phase: oneOf(Object.keys(phases)),
  priority: { fits: 'a finite number', test: (value) => Number.isFinite(value) },
  timeoutMs: aBound,
  match: aText,
  scope: aText,
  critical: aFlag,
  auditOnly: aFlag,
}

const eventRule: Known<EventRule> = {
  kind: oneOf(kinds),
  fault: oneOf(['block', 'keep', 'ignore']),
  timeoutMs: aBound,
}

/** @throws TypeError or RangeError naming what does not fit. */
export function checkRule(event: unknown, rule: EventRule): void {
  checkEvent('declare', event)
  const place = `The rule of "${event}"`
  checkOptions(place, rule, eventRule)
  for (const name of ['kind', 'fault'] as const) {
    if (rule[name] === undefined) throw unfit(place, `${name} is`, undefined, eventRule[name])
  }
}

export function checkEvent(place: string, event: unknown): asserts event is string {
  if (!aText.test(event)) throw unfit(place, 'the event is', event, aText)
}

/** @throws TypeError or RangeError naming what does not fit. */
export function makeRegistration(
  event: string,
  handler: unknown,
  options: HookOptions,
  sequence: number,
): Registration {
  checkEvent('on', event)
  const place = `Hook on "${event}"`
  if (!aFunction.test(handler)) throw unfit(place, 'the handler is', handler, aFunction)
  checkOptions(place, options, hookOptions)
  return {
    id: options.id ?? `${event}#${sequence}`,
    event,
    handler: handler as Registration['handler'],
    options: Object.freeze({ ...options }),
    sequence,
    timeouts: [],
  }
}

/** Phase, then priority (high first), then registration. */
export function byOrder(a: Registration, b: Registration): number {
  return (
    phases[a.options.phase ?? 'normal'] - phases[b.options.phase ?? 'normal'] ||
    (b.options.priority ?? 0) - (a.options.priority ?? 0) ||
    a.sequence - b.sequence
  )
}
