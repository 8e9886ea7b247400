import type { StepName, ToolResult } from '@callgate/spec'

import { failure, type Failure } from '../results/failure.ts'
import { findAdapter } from './adapter.ts'
import { authorize } from './authorization.ts'
import { openCall, type Call, type CallInit, type Produced } from './call.ts'
import { execute, stoppedBefore } from './execution.ts'
import { inject } from './injection.ts'
import { lookup } from './lookup.ts'
import { isPromiseLike, type Maybe } from './maybe.ts'
import { permission } from './permission.ts'
import { finish, type Finished } from './result.ts'
import type { Services } from './services.ts'
import { validate } from './validation.ts'

/**
 * The one function that runs a call (R7.1). A single call, an expanded entry, a nested call, a fallback and a resumed
 * approval all come through here:
 *
 * 1. lookup, 2. adapter, 3. permission, 4. validation and authorization, 5. execution, 6. result, 7. injection.
 *
 * Always gives an envelope; never rejects.
 */
export async function runCall(init: CallInit, services: Services): Promise<ToolResult> {
  const call = openCall(init, services.ports.clock.now())
  const finished = await runToResult(call, services)
  const written = inject(call, services, finished, services.ports.clock.now())
  return isPromiseLike(written) ? await written : written
}

async function runToResult(call: Call, services: Services): Promise<Finished> {
  try {
    const produced = await produce(call, services)
    const startedAt = services.ports.clock.now()
    const finished = finish(call, services, produced)
    const done = isPromiseLike(finished) ? await finished : finished
    note(call, services, 'result', startedAt)
    return done
  } catch (error) {
    return brokenDown(call, services, error)
  }
}

/** A fault of ours or of a port. The text stays with the operator. */
function brokenDown(call: Call, services: Services, error: unknown): Finished {
  const trueReason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  services.log.error('a call broke down', { callId: call.callId, error: trueReason })
  return {
    data: null,
    content: [],
    failure: failure('internal', 'The call could not be handled because of an internal fault.', {
      started: call.outcome === 'not_started' ? 'no' : 'unknown',
      trueReason,
    }),
  }
}

/** Steps 1 to 5, and again for each declared fallback while the backend is at fault (R6.2). */
async function produce(call: Call, services: Services): Promise<Produced> {
  const first = await runSteps(call, services)
  call.askedTool = call.toolId
  const fallbacks = call.entry?.definition.fallback
  if (fallbacks === undefined || !mayFallBack(call, first)) return first
  for (const id of fallbacks) {
    const asked = call.entry
    call.name = id
    const produced = await runSteps(call, services)
    if (produced.ok) {
      call.answeredBy = call.toolId
      return produced
    }
    call.notes.push({
      fallback: id,
      code: produced.failure.code,
      message: produced.failure.message,
    })
    if (!mayFallBack(call, produced) && call.attempts > 0 && produced.failure.started !== 'no')
      return produced
    call.entry = asked
  }
  return first
}

/** A fallback must not repeat what may have happened, and a tool that ran and said no has answered. */
function mayFallBack(call: Call, produced: Produced): boolean {
  if (produced.ok || call.stop.stopped || call.entry === undefined) return false
  const { code, started } = produced.failure
  if (code === 'tool_failed' || code === 'cancelled' || !reachedExecution(call)) return false
  const { effects } = call.entry.definition
  return started === 'no' || effects?.readOnly === true || effects?.idempotent === true
}

function reachedExecution(call: Call): boolean {
  return call.trace.at(-1)?.step === 'execution'
}

async function runSteps(call: Call, services: Services): Promise<Produced> {
  const { clock } = services.ports
  let startedAt = clock.now()
  const step = (name: StepName): void => {
    note(call, services, name, startedAt)
    startedAt = clock.now()
  }
  let refused: Maybe<Failure | undefined> = lookup(call, services) ?? stoppedBefore(call)
  step('lookup')
  if (refused !== undefined) return { ok: false, failure: refused }
  refused = findAdapter(call, services)
  step('adapter')
  if (refused !== undefined) return { ok: false, failure: refused }
  refused = permission(call, services)
  step('permission')
  if (refused !== undefined) return { ok: false, failure: refused }
  refused = validate(call)
  if (isPromiseLike(refused)) refused = await refused
  if (refused === undefined) {
    refused = authorize(call, services)
    if (isPromiseLike(refused)) refused = await refused
  }
  step('validation')
  refused ??= stoppedBefore(call)
  if (refused !== undefined) return { ok: false, failure: refused }
  const produced = execute(call, services)
  const settled = isPromiseLike(produced) ? await produced : produced
  step('execution')
  return settled
}

function note(call: Call, services: Services, step: StepName, startedAt: number): void {
  call.trace.push({ step, ms: services.ports.clock.now() - startedAt })
}
