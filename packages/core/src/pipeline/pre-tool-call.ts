import type { HookOutcome, HookRunOptions } from '@callgate/hooks'
import type { CallPayload, Repair } from '@callgate/spec'

import type { Failure } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { bounded } from '../turn/or-stopped.ts'
import type { Call } from './call.ts'
import { applyChange } from './change-arguments.ts'
import { hookFailure, HookNote } from './hook-failures.ts'
import { humanMs } from './human-wait.ts'
import { isPromiseLike, proceed, type Maybe } from './maybe.ts'
import { payloadOf, payloadWith } from './payload.ts'
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

  waitedMs(): number {
    return humanMs(this.#call, this.#services.ports.clock)
  }

  apply(payload: CallPayload, change: unknown): Maybe<CallPayload> {
    return rewrite(this.#call, this.#services, payload, change)
  }
}

function judge(call: Call, services: Services, outcome: HookOutcome<CallPayload>): Judged {
  settle(call, outcome.payload)
  if (outcome.trace.length > 0) call.notes.push(new HookNote('pre_tool_call', outcome.trace))
  if (outcome.blockedBy !== undefined)
    return { ok: false, failure: hookFailure(outcome.blockedBy, services.redactor) }
  return outcome.asks.length === 0 ? pass : { ok: true, asks: outcome.asks }
}

/** What stands behind the arguments of a payload that a transform made. */
interface Rewritten {
  readonly input: object
  readonly repairs: readonly Repair[]
}

const rewritten = new WeakMap<CallPayload, Rewritten>()

/** The bus says which change counts: that of a hook that only records does not. */
function settle(call: Call, payload: CallPayload): void {
  if (payload.arguments === call.arguments) return
  const made = rewritten.get(payload)
  if (made === undefined) return
  call.originalArguments ??= call.arguments
  call.inputArguments = made.input
  call.arguments = payload.arguments
  call.repairs = made.repairs
}

/** @throws Error when the changed arguments do not fit the schema: the hook is at fault, not the model. */
function rewrite(
  call: Call,
  services: Services,
  payload: CallPayload,
  change: unknown,
): Maybe<CallPayload> {
  const { input, repairs } = rewritten.get(payload) ?? {
    input: call.inputArguments as object,
    repairs: call.repairs,
  }
  const changed = applyChange(input, change as object)
  if (changed === input) return payload
  const accept = (checked: Awaited<ReturnType<typeof check>>): CallPayload => {
    if (!checked.ok) throw new Error(invalidArguments(call, checked.errors).message)
    const args = freezeOwn(checked.value) as CallPayload['arguments']
    const made = payloadWith(call, services, { arguments: args })
    rewritten.set(made, { input: checked.input, repairs: [...repairs, ...checked.repairs] })
    return made
  }
  const checked = check(call.entry!, changed)
  return isPromiseLike(checked)
    ? bounded(checked, boundsOf(call, services)).then(accept)
    : accept(checked)
}
