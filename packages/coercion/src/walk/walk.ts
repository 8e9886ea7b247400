import type { Repair } from '@callgate/spec'

import type { PlanNode } from '../plan/model.ts'
import { bitOf } from '../plan/types.ts'
import { pointerToken, type LoadedSchema } from '../schema/model.ts'
import { canonicalJson } from '../validate/unique.ts'

/** One way through the arguments of one call. */
export interface Walk {
  /** Own names and indexes from the root to where the walk stands. */
  readonly path: (string | number)[]
  readonly repairs: Repair[]
  /** Deepest nesting that is walked; what lies below stays as it came. */
  readonly depth: number
  /** Longest JSON text that is read. */
  readonly bytes: number
  /** Only names are restored, types stay. */
  readonly namesOnly: boolean
  /** Whether JSON text that was just read is walked too. The first pass leaves it to the validator. */
  readonly intoText: boolean
  /** JSON text was read and not walked. */
  skippedText: boolean
  /** What is left of the steps of this walk. */
  steps: number
  check(schema: LoadedSchema, value: unknown): boolean
  /** Coerces a value at any place. */
  value(node: PlanNode, value: unknown): unknown
  /** Coerces the inside of a list or object whose own type fits. */
  inside(node: PlanNode, value: object): unknown
}

/** No reading, or more than one. */
export const NOTHING: unique symbol = Symbol('nothing')

/** Unions of unions try every branch; a walk of more steps than this is given up, the arguments stay as they came. */
export const WALK_STEPS = 2_000_000

export class WalkLimit extends Error {}

export function countStep(walk: Walk): void {
  if (--walk.steps < 0) throw new WalkLimit()
}

export function record(walk: Walk, rule: string, from: unknown, to: unknown): void {
  walk.repairs.push({ path: walk.path.map(pointerToken).join(''), from, to, rule })
}

/** Whether the schema takes the value by its type: the value is then never changed, only its inside may be (policy rule 1). */
export function accepts(walk: Walk, node: PlanNode, value: unknown): boolean {
  if ((node.mask & bitOf(value)) === 0) return false
  if (node.exact) return true
  countStep(walk)
  return (
    node.members.every((values) => values.some((member) => sameJson(member, value))) &&
    node.unions.every((branches) => branches.some((branch) => accepts(walk, branch, value)))
  )
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object') return false
  return canonicalJson(a) === canonicalJson(b)
}

/** Takes a reading: reports it, then goes into it. */
export function takeReading(
  walk: Walk,
  node: PlanNode,
  from: unknown,
  reading: { readonly value: unknown; readonly rule: string },
): unknown {
  record(walk, reading.rule, from, reading.value)
  if (typeof reading.value !== 'object' || reading.value === null) return reading.value
  if (!walk.intoText) {
    walk.skippedText = true
    return reading.value
  }
  return walk.inside(node, reading.value)
}
