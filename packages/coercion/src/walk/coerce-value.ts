import type { PlanNode } from '../plan/model.ts'
import { ARRAY } from '../plan/types.ts'
import { coerceConditions } from './conditions.ts'
import { coerceList } from './list.ts'
import { coerceObject } from './object.ts'
import { readScalar } from './scalars.ts'
import { readText } from './texts.ts'
import { coerceUnions } from './unions.ts'
import { accepts, countStep, NOTHING, type Walk } from './walk.ts'
import { wrapInList } from './wrap.ts'

/**
 * Gives the value in the types and names of the schema, or as it came where not exactly one reading fits
 * (coercion policy, rules 1 to 8). Copies on the way to a change, never writes into the input.
 */
export function coerceValue(walk: Walk, node: PlanNode, value: unknown): unknown {
  if (accepts(walk, node, value)) {
    return typeof value === 'object' && value !== null ? coerceInside(walk, node, value) : value
  }
  if (walk.namesOnly) return value
  const reading =
    typeof value === 'string' ? readText(walk, node, value) : readScalar(walk, node, value)
  if (reading !== NOTHING) return reading
  const list = (node.mask & ARRAY) === 0 ? NOTHING : wrapInList(walk, node, value)
  return list === NOTHING ? value : list
}

/** The inside of a list or object whose own type fits. */
export function coerceInside(walk: Walk, node: PlanNode, value: object): unknown {
  if (walk.path.length >= walk.depth) return value
  countStep(walk)
  const own = Array.isArray(value)
    ? coerceList(walk, node, value)
    : coerceObject(walk, node, value as Record<string, unknown>)
  const chosen = node.unions.length > 0 ? coerceUnions(walk, node, own) : own
  return node.conditional && !walk.namesOnly ? coerceConditions(walk, node, chosen) : chosen
}
