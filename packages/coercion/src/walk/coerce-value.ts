import { spend } from '../effort.ts'
import { WALK_STEP } from '../limits.ts'
import type { PlanNode } from '../plan/model.ts'
import { DEPTH_LIMIT } from '../text/fault.ts'
import { coerceConditions } from './conditions.ts'
import { coerceList } from './list.ts'
import { coerceObject } from './object.ts'
import { readingOf } from './readings.ts'
import { coerceUnion } from './unions.ts'
import { accepts, record, type Walk } from './walk.ts'
import { wrapInList } from './wrap.ts'

/**
 * Gives the value in the types and names of the schema, or as it came where not exactly one reading fits
 * (coercion policy, rules 1 to 8). Copies on the way to a change, never writes into the input.
 */
export function coerceValue(walk: Walk, node: PlanNode, value: unknown, token: string): unknown {
  if (accepts(node, value)) {
    return typeof value === 'object' && value ? coerceInside(walk, node, value, token) : value
  }
  if (walk.namesOnly) return value
  const reading = readingOf(walk, node, value)
  if (reading === undefined) return wrapInList(walk, node, value, token) ?? value
  record(walk, reading.rule, value, reading.value, token)
  if (typeof reading.value !== 'object' || !reading.value) return reading.value
  if (walk.intoText) return coerceInside(walk, node, reading.value, token)
  walk.skippedText = true
  return reading.value
}

/** The inside of a list or object whose own type fits. */
export function coerceInside(walk: Walk, node: PlanNode, value: object, token: string): object {
  const { at, level, here } = walk
  // Branches of a union are at the same place, and their number is bounded by the schema.
  const deeper = token === '' ? level : level + 1
  if (deeper > (walk.depth ?? DEPTH_LIMIT)) return value
  spend(WALK_STEP)
  walk.at += token
  walk.level = deeper
  walk.here = token === '' ? [...here, node] : [node]
  let result: object = Array.isArray(value)
    ? coerceList(walk, node, value)
    : coerceObject(walk, node, value as Record<string, unknown>)
  for (const branches of node.unions) result = coerceUnion(walk, branches, result)
  if (!walk.namesOnly) result = coerceConditions(walk, node, result)
  walk.at = at
  walk.level = level
  walk.here = here
  return result
}
