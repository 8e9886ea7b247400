import type { PlanNode } from '../plan/model.ts'
import { entryNode } from '../plan/node.ts'
import type { Walk } from './walk.ts'

/** Entries are coerced one by one and never dropped, since their positions have a meaning. */
export function coerceList(
  walk: Walk,
  node: PlanNode,
  list: readonly unknown[],
): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const entry = entryNode(node, index)
    if (entry === undefined) {
      if (index >= node.tuple) break
      continue
    }
    walk.path.push(index)
    const value = walk.value(entry, list[index])
    walk.path.pop()
    if (value !== list[index]) {
      copy ??= [...list]
      copy[index] = value
    }
  }
  return copy ?? list
}
