import type { Call } from './call.ts'
import { humanMs } from './human-wait.ts'
import { scopeOf } from './scope.ts'
import type { Services } from './services.ts'

/** How hooks are told of a call. A human's wait is no time of theirs, also where they made the call that asks. */
export function aboutCall(
  call: Call,
  { ports }: Services,
): { readonly subject: string; readonly scope?: string; readonly waitedMs: () => number } {
  return {
    subject: call.toolId,
    ...scopeOf(call.context),
    waitedMs: () => humanMs(call, ports.clock),
  }
}
