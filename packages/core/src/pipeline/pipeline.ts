import type { ToolResult } from '@callgate/spec'

import { failure, type Failure } from '../results/failure.ts'
import { stackOfThrown } from '../results/thrown.ts'
import { findAdapter } from './adapter.ts'
import { authorize } from './authorization.ts'
import { mark, openCall, pass, type Call, type CallInit, type Produced } from './call.ts'
import { execute, stoppedBefore } from './execution.ts'
import { inject } from './injection.ts'
import { lookup } from './lookup.ts'
import { isPromise, proceed, type Maybe } from './maybe.ts'
import { permission } from './permission.ts'
import { tellHeldTexts } from './progress.ts'
import { finish, type Finished } from './result.ts'
import type { Services } from './services.ts'
import { validate } from './validation.ts'

/**
 * The one function that runs a call (R7.1). A single call, an expanded entry, a nested call, a fallback and a resumed
 * approval all come through here:
 *
 * 1. lookup, 2. adapter, 3. permission, 4. validation and authorization, 5. execution, 6. result, 7. injection.
 *
 * Always gives an envelope; never throws or rejects. It waits only where a step has something to wait for.
 */
export function runCall(init: CallInit, services: Services): Maybe<ToolResult> {
  const call = openCall(init, services.ports.clock.now())
  let produced: Maybe<Produced>
  try {
    produced = runSteps(call, services)
  } catch (error) {
    produced = unproduced(brokenDown(call, services, error))
  }
  return isPromise(produced)
    ? orBrokenDown(produced, call, services, conclude, unproduced)
    : conclude(call, services, produced)
}

/** What comes after step 5, in one go where nothing has to be waited for: each promise costs more than a step. */
function conclude(call: Call, services: Services, produced: Produced): Maybe<ToolResult> {
  let finished: Maybe<Finished>
  try {
    finished = proceed(fallBackOn(call, services, produced), call, services, finish)
  } catch (error) {
    finished = unfinished(brokenDown(call, services, error))
  }
  return isPromise(finished)
    ? orBrokenDown(finished, call, services, deliver, unfinished)
    : deliver(call, services, finished)
}

function orBrokenDown<T>(
  value: Promise<T>,
  call: Call,
  services: Services,
  next: (call: Call, services: Services, value: T) => Maybe<ToolResult>,
  broken: (failed: Failure) => T,
): Promise<ToolResult> {
  return value.then(
    (settled) => next(call, services, settled),
    (error: unknown) => next(call, services, broken(brokenDown(call, services, error))),
  )
}

const unproduced = (failed: Failure): Produced => ({ ok: false, failure: failed })
const unfinished = (failed: Failure): Finished => ({ data: null, content: [], failure: failed })

function deliver(call: Call, services: Services, finished: Finished): Maybe<ToolResult> {
  mark(call, services.ports.clock, 'result')
  return inject(call, services, finished)
}

/** A fault of ours, of a port, or of the schema of a tool. The text stays with the operator. */
function brokenDown(call: Call, services: Services, error: unknown): Failure {
  const trueReason = stackOfThrown(error)
  services.log.error('a call broke down', { callId: call.callId, error: trueReason })
  return failure('internal', 'The call could not be handled because of an internal fault.', {
    started: call.outcome === 'not_started' ? 'no' : 'unknown',
    trueReason,
  })
}

/** Steps 1 to 5 again for each declared fallback while the backend is at fault (R6.2). */
function fallBackOn(call: Call, services: Services, first: Produced): Maybe<Produced> {
  endExecution(call, services)
  if (!isUnseen(first)) call.askedTool = call.toolId
  const fallbacks = call.entry?.definition.fallback
  return fallbacks !== undefined && mayFallBack(call, first)
    ? fallBack(call, services, first, fallbacks)
    : first
}

async function fallBack(
  call: Call,
  services: Services,
  first: Produced,
  fallbacks: readonly string[],
): Promise<Produced> {
  const asked = factsOf(call)
  for (const id of fallbacks) {
    call.name = id
    // A fallback is no entry of the batch that the first tool was in, and that need not wait for it.
    call.invoke = undefined
    call.stepsOutcome = undefined
    call.leave()
    // What a person approved is the first tool; this one is asked about by itself.
    call.approved = undefined
    call.attemptsBefore = call.attempts
    const produced = await runAgain(call, services)
    endExecution(call, services)
    if (produced.ok) {
      call.answeredBy = call.toolId
      return produced
    }
    const { code, message, started } = produced.failure
    call.notes.push({ fallback: id, code, message })
    // A call that waits for a person is the answer: it may run yet.
    if (code === 'approval_required') return produced
    // What may have had its effect is the answer; nothing runs after it.
    if (started !== 'no' && !mayFallBack(call, produced)) return produced
  }
  Object.assign(call, asked)
  return first
}

async function runAgain(call: Call, services: Services): Promise<Produced> {
  try {
    return await runSteps(call, services)
  } catch (error) {
    return unproduced(brokenDown(call, services, error))
  }
}

/** What is known of a call that belongs to its tool: it is told again where no fallback answers. */
function factsOf(call: Call): Partial<Call> {
  const { entry, toolId, outcome, inputArguments, repairs, risk } = call
  return { entry, toolId, outcome, arguments: call.arguments, inputArguments, repairs, risk }
}

/** What says that a backend is not there, has failed or has no room. A refusal is none: no other tool gets round it. */
const faultsOfABackend: ReadonlySet<string> = new Set([
  'no_adapter',
  'backend_unavailable',
  'backend_error',
  'circuit_open',
  'timeout',
  'rate_limited',
  'overloaded',
  'internal',
])

/** A fallback must not repeat what may have happened, and a tool that ran and said no has answered. */
function mayFallBack(call: Call, produced: Produced): boolean {
  if (produced.ok || call.stop.stopped || call.entry === undefined) return false
  const { code, started } = produced.failure
  if (!faultsOfABackend.has(code)) return false
  const { effects } = call.entry.definition
  return started === 'no' || effects?.readOnly === true || effects?.idempotent === true
}

function runSteps(call: Call, services: Services): Maybe<Produced> {
  const { clock } = services.ports
  const unknown = lookup(call, services) ?? stoppedBefore(call)
  if (unknown !== undefined) {
    // A name without a tool goes as far as one whose tool the caller may not see.
    if (unknown.unseen === true) passLookUps(call)
    mark(call, clock, unknown.unseen === true ? 'permission' : 'lookup')
    return refused(call, unknown)
  }
  const homeless = findAdapter(call, services)
  if (homeless !== undefined) {
    pass(call, 'lookup')
    mark(call, clock, 'adapter')
    return refused(call, homeless)
  }
  passLookUps(call)
  const forbidden = permission(call, services)
  mark(call, clock, 'permission')
  if (forbidden !== undefined) return refused(call, forbidden)
  return proceed(validate(call, services), call, services, whenValidated)
}

function whenValidated(
  call: Call,
  services: Services,
  invalid: Failure | undefined,
): Maybe<Produced> {
  return proceed(invalid ?? authorize(call, services), call, services, whenAuthorized)
}

function whenAuthorized(
  call: Call,
  services: Services,
  unauthorized: Failure | undefined,
): Maybe<Produced> {
  mark(call, services.ports.clock, 'validation')
  const stopped = unauthorized ?? stoppedBefore(call)
  if (stopped !== undefined) return refused(call, stopped)
  call.executing = true
  return execute(call, services)
}

function passLookUps(call: Call): void {
  pass(call, 'lookup')
  pass(call, 'adapter')
}

function isUnseen(produced: Produced): boolean {
  return !produced.ok && produced.failure.unseen === true
}

/** Ends step 5 for a call that came so far. */
function endExecution(call: Call, services: Services): void {
  if (!call.executing) return
  call.executing = false
  tellHeldTexts(call, services)
  mark(call, services.ports.clock, 'execution')
}

function refused(call: Call, why: Failure): Produced {
  // A call that was put to a human may have run elsewhere.
  if (why.started !== 'no') call.outcome = 'unknown'
  return { ok: false, failure: why }
}
