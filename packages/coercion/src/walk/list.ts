import type { PlanNode } from '../plan/model.ts'
import { entryOf } from '../plan/node.ts'
import { bitOf } from '../plan/types.ts'
import type { Walk } from './walk.ts'

/** Entries are coerced one by one and never dropped, since their positions have a meaning. */
export function coerceList(
  walk: Walk,
  node: PlanNode,
  list: readonly unknown[],
): readonly unknown[] {
  let copy: unknown[] | undefined
  for (const [index, own] of list.entries()) {
    const child = entryOf(node, index)
    if (child.node === undefined || (bitOf(own) & child.settled) !== 0) continue
    const value = walk.settings.value(walk, child.node, own, `/${index}`)
    if (value !== own) {
      copy ??= [...list]
      copy[index] = value
    }
  }
  return copy ?? list
}
