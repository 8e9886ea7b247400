import type { PlanNode } from '../plan/model.ts'
import type { LoadedSchema } from '../schema/model.ts'
import { accepts, type Walk } from './walk.ts'

/** Goes through then or else, and through the schemas that depend on a property that is there. */
export function coerceConditions(walk: Walk, node: PlanNode, value: unknown): unknown {
  let result = value
  for (const schema of node.schemas) {
    if (schema.if !== undefined) {
      result = through(
        walk,
        node,
        walk.settings.check(schema.if, result) ? schema.then : schema.else,
        result,
      )
    }
    for (const [name, dependent] of Object.entries(schema.dependentSchemas ?? {})) {
      const present = typeof result === 'object' && result !== null && Object.hasOwn(result, name)
      if (present) result = through(walk, node, dependent, result)
    }
  }
  return result
}

function through(
  walk: Walk,
  node: PlanNode,
  schema: LoadedSchema | undefined,
  value: unknown,
): unknown {
  if (typeof schema !== 'object' || typeof value !== 'object' || value === null) return value
  const branch = node.plan.node(schema)
  return accepts(walk, branch, value) ? walk.settings.inside(walk, branch, value, '') : value
}
