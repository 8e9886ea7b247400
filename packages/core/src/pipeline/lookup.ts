import { shownTools } from '../bridge/shown-tools.ts'
import { nearNames } from '../registry/near-names.ts'
import { failure, type Failure } from '../results/failure.ts'
import type { Call } from './call.ts'
import type { Services } from './services.ts'

/** Step 1: finds the tool by its exact id or wire name (R7.1). Nothing is ever run in place of a name that does not fit. */
export function lookup(call: Call, services: Services): Failure | undefined {
  if (call.malformed !== undefined) return call.malformed
  const entry = services.registry.find(call.name)
  if (entry === undefined) return unknownTool(call, services)
  call.entry = entry
  call.toolId = entry.id
  return undefined
}

function unknownTool(call: Call, services: Services): Failure {
  const { name, context } = call
  const visible = shownTools(context, services)
  const near = nearNames(
    name,
    visible.map(({ wireName }) => wireName),
  )
  if (!services.registry.seesAll(context)) return permissionDenied(near, 'no such tool')
  return failure('tool_not_found', `There is no tool named "${name}".`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.map((wire) => nameBoth(wire, services)).join(' or ')}?`
        : 'Find the exact name with tool_search.',
  })
}

function nameBoth(wireName: string, services: Services): string {
  const id = services.registry.find(wireName)?.id
  return id === undefined || id === wireName ? wireName : `${wireName} (${id})`
}

/**
 * One text for every name that a caller cannot see, existing or not (R9.1); near names come only from what it sees.
 */
export function permissionDenied(near: readonly string[], trueReason: string): Failure {
  return failure('permission_denied', 'Permission denied: this is not among your tools.', {
    ...(near.length > 0 ? { hint: `Among your tools are ${near.join(', ')}.` } : {}),
    trueReason,
    unseen: true,
  })
}
