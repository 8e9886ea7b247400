import type { Repair } from '@callgate/spec'

import { sameJson, type Walk } from './walk.ts'

/** What one way of reading a value came to. */
export interface Outcome<Value> {
  readonly value: Value
  readonly repairs: readonly Repair[]
}

/** Tries a way; its repairs are only noted if its outcome is taken. */
export function attempt<Value>(walk: Walk, run: () => Value): Outcome<Value> {
  const start = walk.repairs.length
  const value = run()
  return { value, repairs: walk.repairs.splice(start) }
}

/** Takes the outcome if there is only one, or all are equal. */
export function takeOnly<Value>(
  walk: Walk,
  outcomes: readonly Outcome<Value>[],
  otherwise: Value,
): Value {
  const [first, ...others] = outcomes
  if (!first || !others.every((other) => sameJson(other.value, first.value))) return otherwise
  walk.repairs.push(...first.repairs)
  return first.value
}
