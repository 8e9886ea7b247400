import type { InvokeSettings } from './invoke.ts'
import { makePlan, type Plan } from './plan.ts'
import { byOrder, checkRule, type Registration } from './registration.ts'
import type { EventRule, HookBus } from './types.ts'

const undeclared: EventRule = { kind: 'observe', fault: 'ignore' }

/** The handlers of a bus and the rules of its events. */
export interface Handlers {
  /** Gives back what takes it away. */
  add(event: string, registration: Registration): () => void
  declare(event: string, rule: EventRule): void
  /** What is to be done at an event, or undefined where nobody listens. */
  planOf(event: string): Plan | undefined
  list(): ReturnType<HookBus<object>['list']>
}

/** Takes how long a handler may take in an event whose rule says nothing of it, or in all where `isForAll`. */
export function createHandlers(settings: InvokeSettings, isForAll: boolean): Handlers {
  const rules = new Map<string, EventRule>()
  const registrations = new Map<string, readonly Registration[]>()
  const plans = new Map<string, Plan>()

  const ruleOf = (event: string): EventRule => rules.get(event) ?? undeclared
  const listOf = (event: string): readonly Registration[] => registrations.get(event) ?? []

  function change(event: string, listed: readonly Registration[]): void {
    registrations.set(event, listed)
    plans.delete(event)
  }

  function settingsOf({ timeoutMs }: EventRule): InvokeSettings {
    return timeoutMs === undefined || isForAll ? settings : { ...settings, timeoutMs }
  }

  return {
    add(event, registration) {
      change(event, [...listOf(event), registration].toSorted(byOrder))
      return () =>
        change(
          event,
          listOf(event).filter((other) => other !== registration),
        )
    },
    declare(event, rule) {
      checkRule(event, rule)
      rules.set(event, rule)
      plans.delete(event)
    },
    planOf(event) {
      const known = plans.get(event)
      if (known !== undefined) return known
      const listed = listOf(event)
      if (listed.length === 0) return undefined
      const rule = ruleOf(event)
      const plan = makePlan(listed, rule, settingsOf(rule))
      plans.set(event, plan)
      return plan
    },
    list: () =>
      [...registrations.values()].flat().map(({ id, event, options }) => ({
        kind: ruleOf(event).kind,
        ...options,
        id,
        event,
      })),
  }
}
