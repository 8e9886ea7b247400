import type { PlanNode } from '../plan/model.ts'
import { nodeOf } from '../plan/node.ts'
import type { LoadedSchema } from '../schema/model.ts'
import { accepts, type Walk } from './walk.ts'

/** Goes through then or else, and through the schemas that depend on a property that is there. */
export function coerceConditions(walk: Walk, node: PlanNode, value: object): object {
  const through = (result: object, schema: LoadedSchema | undefined): object => {
    const branch = typeof schema === 'object' && nodeOf(node.plan, schema)
    return branch && accepts(branch, result) ? walk.inside(walk, branch, result, '') : result
  }
  let result = value
  for (const { if: condition, then, else: otherwise, dependentSchemas } of node.schemas) {
    if (condition !== undefined) {
      result = through(result, walk.check(condition, result) ? then : otherwise)
    }
    if (dependentSchemas) {
      for (const [name, schema] of Object.entries(dependentSchemas)) {
        if (Object.hasOwn(result, name)) result = through(result, schema)
      }
    }
  }
  return result
}
