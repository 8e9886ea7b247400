import type { Repair } from '@callgate/spec'

import { spend, spendOn } from '../effort.ts'
import { isFields } from '../json.ts'
import { WALK_STEP } from '../limits.ts'
import type { PlanNode } from '../plan/model.ts'
import { bitOf } from '../plan/types.ts'
import type { LoadedSchema } from '../schema/model.ts'
import type { ParseOptions } from '../types.ts'
import { canonicalJson } from '../validate/unique.ts'

/** What all walks of a coercer have in common. */
export interface WalkSettings {
  /** Deepest nesting that is walked; what lies below stays as it came. */
  readonly depth?: number
  /** Longest JSON text that is read. */
  readonly bytes?: number
  /** How integers that a double would change come out of it. */
  readonly bigints?: NonNullable<ParseOptions['bigints']>
  /** Only names are restored, types stay. */
  readonly namesOnly?: boolean
  check(schema: LoadedSchema, value: unknown): boolean
}

/** One way through the arguments of one call. */
export interface Walk extends WalkSettings {
  /** Coerces a value; `token` (`/name`) is its place in the list or object that the walk is in, empty for the root. */
  readonly value: (walk: Walk, node: PlanNode, value: unknown, token: string) => unknown
  /** Coerces the inside of a list or object whose own type fits. */
  readonly inside: (walk: Walk, node: PlanNode, value: object, token: string) => object
  /** Pointer to the list or object that the walk is in, and how deep that is. */
  at: string
  level: number
  /** The nodes that apply to that list or object, as far as the walk has come. */
  here: readonly PlanNode[]
  readonly repairs: Repair[]
  /** Whether JSON text that was just read is walked too. The first pass leaves it to the validator. */
  readonly intoText: boolean
  /** JSON text was read and not walked. */
  skippedText: boolean
}

/** Notes a repair of the value at `token` below where the walk is. */
export function record(walk: Walk, rule: string, from: unknown, to: unknown, token: string): void {
  walk.repairs.push({ path: walk.at + token, from, to, rule })
}

/** Whether the schema takes the value by its type: the value is then never changed, only its inside may be (policy rule 1). */
export function accepts(node: PlanNode, value: unknown): boolean {
  if (!(node.mask & bitOf(value))) return false
  if (node.exact) return true
  spend(WALK_STEP)
  return (
    node.members.every((values) => {
      spend(values.length)
      return values.some((member) => sameJson(member, value))
    }) && node.unions.every((branches) => branches.some((branch) => accepts(branch, value)))
  )
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object') return false
  spendOn([a, b])
  return canonicalJson(a) === canonicalJson(b)
}

/** Whether an object has all required fields, each under its own name or the shown one. */
export function hasRequired({ restore, required }: PlanNode, fields: object): boolean {
  const given = Object.keys(fields).flatMap((name) => [name, restore.get(name)])
  return [...required].every((name) => given.includes(name))
}

/** The field of an object that has one, if its name is one of these. */
export function onlyField(value: unknown, names: RegExp): [string, unknown] | [] {
  const [field, ...others] = isFields(value) ? Object.entries(value) : []
  return field && others.length === 0 && names.test(field[0]) ? field : []
}
