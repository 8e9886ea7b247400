import type { PlanNode } from '../plan/model.ts'
import { childOf } from '../plan/node.ts'
import type { Walk } from './walk.ts'

/** Entries are coerced one by one and never dropped, since their positions have a meaning. */
export function coerceList(
  walk: Walk,
  node: PlanNode,
  list: readonly unknown[],
): readonly unknown[] {
  const copy = list.map((own, index) => {
    const { node: child } = childOf(node, index)
    return child ? walk.value(walk, child, own, `/${index}`) : own
  })
  return copy.some((value, index) => !Object.is(value, list[index])) ? copy : list
}
