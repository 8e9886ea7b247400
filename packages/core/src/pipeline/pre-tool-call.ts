import type { HookOutcome, HookRunOptions } from '@callgate/hooks'
import type { CallPayload } from '@callgate/spec'

import type { Failure } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { bounded } from '../turn/or-stopped.ts'
import type { Call } from './call.ts'
import { applyChange } from './change-arguments.ts'
import { hookFailure, HookNote } from './hook-failures.ts'
import { isPromiseLike, proceed, type Maybe } from './maybe.ts'
import { payloadOf } from './payload.ts'
import type { Services } from './services.ts'
import { boundsOf, check, invalidArguments } from './validation.ts'

/** What the hooks want a human to be asked. */
export interface Ask {
  readonly hook: string
  readonly message?: string
  readonly rule?: string
}

export type Judged =
  | { readonly ok: true; readonly asks: readonly Ask[] }
  | { readonly ok: false; readonly failure: Failure }

const pass: Judged = { ok: true, asks: [] }

/**
 * Fires `pre_tool_call` (R4.1): all transforms, each change coerced and validated again, then all gates on the very
 * arguments that would run. With `settled` (a resumed approval) the transforms are left out.
 */
export function preToolCall(call: Call, services: Services, settled = false): Maybe<Judged> {
  if (!services.bus.has('pre_tool_call')) return pass
  const outcome = services.bus.fire(
    'pre_tool_call',
    payloadOf(call, services),
    new Run(call, services, settled),
  )
  // A bus made by others may give any thenable.
  const done = isPromiseLike(outcome) ? Promise.resolve(outcome) : outcome
  return proceed(done, call, services, judge)
}

/** How the event is fired; without a closure for each call. */
class Run implements HookRunOptions<CallPayload> {
  readonly subject: string
  declare readonly scope?: string
  readonly frozen = true
  readonly settled: boolean
  readonly #call: Call
  readonly #services: Services

  constructor(call: Call, services: Services, settled: boolean) {
    this.subject = call.toolId
    if (call.context.scope !== undefined) this.scope = call.context.scope
    this.settled = settled
    this.#call = call
    this.#services = services
  }

  apply(payload: CallPayload, change: unknown): Maybe<CallPayload> {
    return rewrite(this.#call, this.#services, payload, change)
  }
}

function judge(call: Call, _services: Services, outcome: HookOutcome<CallPayload>): Judged {
  if (outcome.trace.length > 0) call.notes.push(new HookNote('pre_tool_call', outcome.trace))
  if (outcome.blockedBy !== undefined) return { ok: false, failure: hookFailure(outcome.blockedBy) }
  return outcome.asks.length === 0 ? pass : { ok: true, asks: outcome.asks }
}

/** @throws Error when the changed arguments do not fit the schema: the hook is at fault, not the model. */
function rewrite(
  call: Call,
  services: Services,
  payload: CallPayload,
  change: unknown,
): Maybe<CallPayload> {
  const changed = applyChange(call.inputArguments as object, change as object)
  if (changed === call.inputArguments) return payload
  const accept = (checked: Awaited<ReturnType<typeof check>>): CallPayload => {
    if (!checked.ok) throw new Error(invalidArguments(call, checked.errors).message)
    call.originalArguments ??= call.arguments
    call.inputArguments = checked.input
    call.arguments = freezeOwn(checked.value)
    if (checked.repairs.length > 0) call.repairs = [...call.repairs, ...checked.repairs]
    return payloadOf(call, services)
  }
  const checked = check(call.entry!, changed)
  return isPromiseLike(checked)
    ? bounded(checked, boundsOf(call, services)).then(accept)
    : accept(checked)
}
