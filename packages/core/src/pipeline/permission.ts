import { bridgeOwner } from '../bridge/bridge-names.ts'
import type { Failure } from '../results/failure.ts'
import type { Call } from './call.ts'
import { namesLike, permissionDenied } from './lookup.ts'
import type { Services } from './services.ts'

/** Step 3, layer 1: roles and tags (R9.1). */
export function permission(call: Call, services: Services): Failure | undefined {
  const { definition, owner } = call.entry!
  if (owner === bridgeOwner) return undefined
  if (services.visibility.allows(definition, call.context)) return undefined
  const reason = `layer 1: the roles of the caller do not allow ${call.toolId}`
  return permissionDenied(namesLike(call, services), reason)
}
