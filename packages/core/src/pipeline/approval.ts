import type { ApprovalDecision, ApprovalRequest } from '@callgate/spec'

import { definitionDigest } from '../policy/pins.ts'
import { digestOf } from '../results/canonical.ts'
import { failure, type Failure } from '../results/failure.ts'
import { freezeOwn } from '../results/freeze-own.ts'
import { jsonSafe } from '../results/json-safe.ts'
import { isThrown, textOfThrown } from '../results/thrown.ts'
import { bounded, GivenUp, orStopped } from '../turn/or-stopped.ts'
import type { Call } from './call.ts'
import { faultOfDecision } from './decision.ts'
import { waitForHuman } from './human-wait.ts'
import { scopeOf } from './scope.ts'
import type { Services } from './services.ts'

/** What a human has to be asked, and by which rule of a hook or layer. */
export interface Question {
  readonly reason: string
  readonly rule?: string
}

/** What came of asking; nothing is consent. */
export type Approval = Failure | { readonly edited: unknown } | undefined

/** A store of approvals has so many milliseconds for each answer. */
const storeMs = 10_000
/** And so many after a stop: a turn settles within 100 ms of it. */
const stoppedGraceMs = 40

/**
 * Layer 3 (R9.3): asks a human for exactly the arguments that would run, unless a grant covers them. A store that fails
 * or does not answer obtains no approval.
 */
export async function approve(
  call: Call,
  services: Services,
  questions: readonly Question[],
): Promise<Approval> {
  try {
    return await obtain(call, services, questions)
  } catch (error) {
    if (isThrown(error, GivenUp) && error.why === 'stopped') return unanswered('stopped')
    services.log.error('the approval could not be obtained', {
      callId: call.callId,
      error: textOfThrown(error),
    })
    return unanswered('failed')
  }
}

/** An answer of the store of approvals. @throws GivenUp, and what the store throws. */
export function stored<T>(services: Services, work: Promise<T>, call?: Call): Promise<T> {
  const { clock } = services.ports
  const what = 'the store of approvals'
  return bounded(work, { what, ms: storeMs, clock, ...(call && { stop: call.stop }) })
}

async function obtain(
  call: Call,
  services: Services,
  questions: readonly Question[],
): Promise<Approval> {
  const { approvals } = services.ports
  // Frozen: who asks a person may not change what is kept and granted.
  const request = freezeOwn(services.tickets.sign(makeRequest(call, services, questions)))
  // Nothing else is consent: a store may give rows, even none, where it should say yes or no.
  const granted: unknown = await stored(services, approvals.granted(request), call)
  if (granted === true) {
    call.notes.push({ layer: 3, decision: 'granted before' })
    return undefined
  }
  // A step cannot be put aside: its tool goes on at once or not at all, and nobody may run it alone later.
  const canWait = approvals.durable && call.lineage.isStep !== true
  if (services.approver === undefined && !canWait) {
    return failure(
      'approval_denied',
      'A person has to approve this call, and nobody can be asked here.',
      {
        hint: 'Do not send it again here. Tell the user that it needs the approval of a person.',
        trueReason: request.message,
      },
    )
  }
  const put = approvals.put(request)
  try {
    return await asked(call, services, request, put)
  } catch (error) {
    // The caller is told that nothing runs: nobody may answer the ticket later, not even one that comes to lie there late.
    void Promise.resolve(put)
      .catch(() => {})
      .then(() => withdraw(services, request.ticketId))
    throw error
  }
}

/** The question itself. @throws GivenUp, and what the store throws. */
async function asked(
  call: Call,
  services: Services,
  request: ApprovalRequest,
  put: Promise<void>,
): Promise<Approval> {
  await stored(services, put, call)
  call.ticketId = request.ticketId
  void services.bus.run('approval_request', { request }, scopeOf(call.context))
  if (services.approver === undefined) return pending(request)
  const decision = await waitForHuman(call, services.ports.clock, ask(call, services, request))
  return settle(call, services, request, decision)
}

/** An approval counts for the very arguments it was given for, whoever else asks or no longer asks. */
export function useApproval(call: Call): Failure | undefined {
  if (call.approved!.digest === argumentsDigest(call)) return undefined
  return failure('approval_denied', 'The arguments are not those that were approved.', {
    rule: 'digest',
  })
}

function argumentsDigest({ toolId, arguments: args }: Call): string {
  return digestOf({ tool: toolId, arguments: args })
}

function makeRequest(
  call: Call,
  services: Services,
  questions: readonly Question[],
): ApprovalRequest {
  const { context, lineage, risk } = call
  const {
    signal: _signal,
    onProgress: _progress,
    onExpanded: _expanded,
    onResult: _result,
    ...kept
  } = context
  return {
    ticketId: services.ports.ids.next('ticket'),
    callId: call.callId,
    tool: call.toolId,
    arguments: call.arguments,
    digest: argumentsDigest(call),
    message: questions[0]!.reason,
    reasons: questions.map(({ reason }) => reason),
    rules: questions.flatMap(({ rule }) => (rule === undefined ? [] : [rule])),
    ...(risk === undefined ? {} : { risk }),
    repairs: call.repairs,
    ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
    expiresAt: services.ports.clock.now() + services.settings.approvalTimeoutMs,
    // As a store gives it back, or the signature would not be found right.
    context: jsonSafe(kept) as ApprovalRequest['context'],
    ...(lineage.parentCallId === undefined ? {} : { parentCallId: lineage.parentCallId }),
    ...(lineage.batchIndex === undefined ? {} : { batchIndex: lineage.batchIndex }),
    ...(lineage.batchSize === undefined ? {} : { batchSize: lineage.batchSize }),
    definitionDigest: definitionDigest(call.entry!.definition),
  }
}

function pending(request: ApprovalRequest): Failure {
  return failure(
    'approval_required',
    `A person has to approve this call first: ${request.message}`,
    {
      hint: 'Go on with other work; the result comes when the person has answered.',
    },
  )
}

type Unanswered = 'expired' | 'stopped' | 'failed'
type Answer = { readonly given: ApprovalDecision } | { readonly none: Unanswered }

/** Waits for the approver, the expiry or the stop, whichever comes first. */
function ask(call: Call, services: Services, request: ApprovalRequest): Promise<Answer> {
  const { clock } = services.ports
  return new Promise<Answer>((resolve) => {
    const timer = clock.setTimeout(
      () => finish({ none: 'expired' }),
      services.settings.approvalTimeoutMs,
    )
    const stopped = { onStop: () => finish({ none: 'stopped' }) }
    call.stop.tell(stopped)
    function finish(answer: Answer): void {
      clock.clearTimeout(timer)
      call.stop.forget(stopped)
      resolve(answer)
    }
    // The approver may throw before it returns a promise.
    Promise.resolve()
      .then(() => services.approver!(request))
      .then((given) => {
        const fault = faultOfDecision(given)
        if (fault === undefined) return finish({ given })
        services.log.error('the answer of the approver does not fit', {
          ticketId: request.ticketId,
          error: fault,
        })
        return finish({ none: 'failed' })
      })
      .catch((error: unknown) => {
        services.log.error('the approver failed', {
          ticketId: request.ticketId,
          error: textOfThrown(error),
        })
        finish({ none: 'failed' })
      })
  })
}

async function settle(
  call: Call,
  services: Services,
  request: ApprovalRequest,
  answer: Answer,
): Promise<Approval> {
  const { approvals, clock } = services.ports
  const grace = { clock, ms: stoppedGraceMs }
  const orGrace = (work: Promise<void>) => orStopped(work, call.stop, () => {}, grace)
  if ('none' in answer) {
    await orGrace(withdraw(services, request.ticketId))
    return unanswered(answer.none)
  }
  const { given } = answer
  if ((await stored(services, approvals.decide(request.ticketId, given), call)) !== 'decided') {
    return unknownOutcome('This call was answered or withdrawn elsewhere')
  }
  call.notes.push({ layer: 3, decision: given.decision, ticketId: request.ticketId })
  tellDecision(services, request, given)
  if (given.decision === 'deny') return denied(given.reason)
  if (given.decision === 'edit') return { edited: given.arguments }
  await orGrace(rememberGrant(services, request, given.scope))
  return undefined
}

/** A copy of the answer: what hooks get is frozen, and whoever answered keeps its own. */
export function tellDecision(
  { bus }: Services,
  request: ApprovalRequest,
  given: ApprovalDecision,
): void {
  const decision = jsonSafe(given) as ApprovalDecision
  void bus.run('approval_decision', { request, decision }, scopeOf(request.context))
}

/** The call is refused either way: a ticket that stays is expired when somebody finds it. */
async function withdraw(services: Services, ticketId: string): Promise<void> {
  try {
    await stored(services, services.ports.approvals.withdraw(ticketId))
  } catch (error) {
    services.log.warn('a ticket could not be withdrawn', { ticketId, error: textOfThrown(error) })
  }
}

function unanswered(why: Unanswered): Failure {
  if (why === 'stopped')
    return failure('cancelled', 'The call was stopped while a person was asked.')
  if (why === 'expired') return failure('approval_expired', 'Nobody approved this call in time.')
  return failure('approval_denied', 'The approval could not be obtained, so the call was refused.')
}

/** Of a ticket that is not there nobody here knows what became of it: the store keeps none of those that were answered. */
export function unknownOutcome(what: string): Failure {
  return failure('approval_expired', `${what}; it may have been answered and run before.`, {
    started: 'unknown',
    hint: 'Check whether it ran before you send it again.',
  })
}

export function changedSince(tool: string): Failure {
  return failure('definition_changed', `${tool} changed or is gone since a person was asked.`, {
    hint: 'Send the call again: a person is asked anew.',
  })
}

export function denied(reason: string | undefined): Failure {
  return failure(
    'approval_denied',
    typeof reason !== 'string' || reason === ''
      ? 'A person refused this call.'
      : `A person refused this call: ${reason}`,
    { hint: 'Do not send this call again unchanged.' },
  )
}

/** This call was approved whether or not the grant can be kept: then the next one is asked for again. */
export async function rememberGrant(
  services: Services,
  request: ApprovalRequest,
  scope: 'once' | 'session' | 'always' = 'once',
): Promise<void> {
  const { sessionId } = request
  // What has no session is no session: a grant for it would cover everybody.
  if (scope === 'once' || (scope === 'session' && sessionId === undefined)) return
  const everyReasonHasARule = request.rules.length === request.reasons.length
  const grant = {
    scope,
    tool: request.tool,
    rules: request.rules,
    definitionDigest: request.definitionDigest,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(everyReasonHasARule ? {} : { digest: request.digest }),
  }
  try {
    await stored(services, services.ports.approvals.grant(grant))
  } catch (error) {
    services.log.warn('a grant could not be kept', { tool: grant.tool, error: textOfThrown(error) })
  }
}
