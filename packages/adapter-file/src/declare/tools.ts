import type { JsonSchema, ToolDefinition, ToolEffects } from '@callgate/spec'

import type { Operation } from '../operations/operation.ts'
import { operations, permits } from '../operations/operations.ts'
import type { Root } from '../roots/root.ts'
import { resourcesOf } from './resources.ts'

type DiscoveredTool = Omit<ToolDefinition, 'namespace'>

/** The tools that the roots permit: one for each operation, for all roots that have it (R8.2). */
export function toolsOf(
  adapter: string,
  roots: ReadonlyMap<string, Root>,
): readonly DiscoveredTool[] {
  return [...operations.values()].flatMap((operation) => {
    const permitting = [...roots.values()].filter((root) => permits(root, operation))
    return permitting.length === 0 ? [] : [toolOf(adapter, operation, permitting)]
  })
}

function toolOf(adapter: string, operation: Operation, roots: readonly Root[]): DiscoveredTool {
  return {
    name: operation.name,
    description: operation.description,
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { ...operation.properties, ...rootProperty(roots) },
      required: operation.required,
    },
    backend: { adapter, operation: operation.name },
    effects: effectsOf(operation, roots),
    ...(operation.riskLevel === undefined
      ? {}
      : { permissions: { riskLevel: operation.riskLevel } }),
    category: 'files',
  }
}

/** The model chooses where there is a choice. */
function rootProperty(roots: readonly Root[]): { readonly root?: JsonSchema } {
  const [first] = roots
  if (first === undefined || roots.length === 1) return {}
  const names = roots.map(({ name }) => name)
  return {
    root: {
      enum: names,
      description: `Root that the paths are relative to. Default: "${first.name}".`,
    },
  }
}

function effectsOf(operation: Operation, roots: readonly Root[]): ToolEffects {
  return {
    ...operation.effects,
    resources: (args) => resourcesOf(operation, roots, args),
  }
}
