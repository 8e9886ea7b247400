import { shownTools } from '../bridge/shown-tools.ts'
import { nearNames } from '../registry/near-names.ts'
import { maxName, shortened } from '../results/cut-text.ts'
import { failure, type Failure } from '../results/failure.ts'
import type { Call } from './call.ts'
import { Refused } from './refused.ts'
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

/**
 * Why a call does not start any more whose tool was taken out while it waited. One whose tool was replaced does: it was
 * checked against the tool that it found (R5.6).
 */
export function withdrawn(call: Call, services: Services): Failure | undefined {
  return call.entry!.life.isOver ? unknownTool(call, services) : undefined
}

/** Nothing starts for a call whose tool was taken out meanwhile. @throws Refused */
export function refuseWithdrawn(call: Call, services: Services): void {
  const why = withdrawn(call, services)
  if (why !== undefined) throw new Refused({ ...why, ours: true })
}

function unknownTool(call: Call, services: Services): Failure {
  const { name, context } = call
  const near = namesLike(call, services)
  if (!services.registry.seesAll(context)) return permissionDenied(near, 'no such tool')
  return failure('tool_not_found', `There is no tool named "${shortened(name, maxName)}".`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.map((wire) => nameBoth(wire, services)).join(' or ')}?`
        : 'Find the exact name with tool_search.',
  })
}

/** So many unknown names of one turn are told what is like them: to compare thousands of names for each holds up everybody. */
const maxTold = 20

/** The tools of the caller most like the name that was asked for, whether there is a tool of that name or not. */
export function namesLike(
  { name, context, lineage: { turn } }: Call,
  services: Services,
): readonly string[] {
  if (turn !== undefined && ++turn.slips > maxTold) return []
  const visible = shownTools(context, services)
  return nearNames(
    name,
    visible.map(({ wireName }) => wireName),
  )
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
