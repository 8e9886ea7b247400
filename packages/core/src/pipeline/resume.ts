import type { ApprovalDecision, ApprovalRequest, ToolResult } from '@callgate/spec'

import { definitionDigest } from '../policy/pins.ts'
import { failure, type Failure } from '../results/failure.ts'
import { maskSecretFields } from '../results/redact.ts'
import { StopSource } from '../turn/stop.ts'
import { changedSince, denied, rememberGrant, tellDecision } from './approval.ts'
import type { Answered, CallInit } from './call.ts'
import { checkDecision, checkEdit } from './check-answer.ts'
import { claim, giveBack } from './claim.ts'
import { stoppedBefore } from './execution.ts'
import { runCall } from './pipeline.ts'
import type { Services } from './services.ts'

/**
 * Continues a call that waits for a human, in this process or another (R9.3): the ticket is claimed once, and what
 * runs is exactly what was approved. A call that a gateway which closes keeps from starting waits again under its
 * ticket.
 *
 * @throws InvalidOptionsError for an answer that does not fit; the ticket stays, so that it can be corrected.
 */
export async function resumeCall(
  ticketId: string,
  decision: ApprovalDecision,
  services: Services,
): Promise<ToolResult> {
  checkDecision(decision)
  const closed = stoppedBefore(services)
  if (closed !== undefined) return runCall(noCall(ticketId, closed, services), services)
  if (decision.decision === 'edit') await checkEdit(ticketId, decision.arguments, services)
  const claimed = await claim(ticketId, services)
  if ('failure' in claimed) return runCall(noCall(ticketId, claimed.failure, services), services)
  const { request } = claimed
  const verdict = judge(ticketId, request, decision, services)
  if (verdict.heard) await announce(request, decision, verdict, services)
  if (verdict.refused?.rule === ticketRule) await leave(ticketId, request, services)
  const result = await runCall(resumed(ticketId, request, decision, verdict, services), services)
  return wasKeptFromStarting(result, services) ? waitsAgain(request, result, services) : result
}

const ticketRule = 'ticket'
const otherTicketHint =
  'It was changed in the store, or signed with another ticketKey: all gateways on one store need the same.'

/** What an answer does. */
interface Verdict {
  /** Whether it was taken as an answer to what was asked, for the record and for whoever watches. */
  readonly heard: boolean
  readonly refused: Failure | undefined
}

function judge(
  ticketId: string,
  request: ApprovalRequest,
  decision: ApprovalDecision,
  services: Services,
): Verdict {
  // It may have been closed while the ticket was claimed: the answer is for whoever takes the ticket next.
  const closed = stoppedBefore(services)
  if (closed !== undefined) return { heard: false, refused: closed }
  if (!services.tickets.verify(request, ticketId)) {
    const text = 'The approval is not the one that was asked for.'
    const more = { rule: ticketRule, hint: otherTicketHint }
    return { heard: false, refused: failure('approval_denied', text, more) }
  }
  services.tickets.remember(request)
  return { heard: true, refused: refusal(request, decision, services) }
}

function refusal(
  request: ApprovalRequest,
  decision: ApprovalDecision,
  services: Services,
): Failure | undefined {
  if (decision.decision === 'deny') return denied(decision.reason)
  if (services.ports.clock.now() > request.expiresAt) {
    return failure('approval_expired', 'The approval came too late.')
  }
  return changed(request, services)
}

/** A tool that is gone is refused by the look-up. */
function changed(request: ApprovalRequest, { registry }: Services): Failure | undefined {
  const entry = registry.find(request.tool)
  return entry === undefined || definitionDigest(entry.definition) === request.definitionDigest
    ? undefined
    : changedSince(request.tool)
}

/** Whoever has the key of a ticket can still answer it; put under the id it was claimed by, it takes the place of no other. */
async function leave(
  ticketId: string,
  request: ApprovalRequest,
  services: Services,
): Promise<void> {
  services.log.error(`a ticket is not the one that was asked for. ${otherTicketHint}`, { ticketId })
  await giveBack({ ...request, ticketId }, services)
}

async function announce(
  request: ApprovalRequest,
  decision: ApprovalDecision,
  { refused }: Verdict,
  services: Services,
): Promise<void> {
  tellDecision(services, request, decision)
  if (refused === undefined && decision.decision === 'approve') {
    await rememberGrant(services, request, decision.scope)
  }
}

function resumed(
  ticketId: string,
  request: ApprovalRequest,
  decision: ApprovalDecision,
  { heard, refused }: Verdict,
  services: Services,
): CallInit {
  const { parentCallId, batchIndex, batchSize, digest } = request
  const edited = decision.decision === 'edit'
  return {
    callId: request.callId,
    input: { name: request.tool, arguments: edited ? decision.arguments : request.arguments },
    context: Object.freeze({ ...request.context }),
    lineage: {
      depth: 0,
      ...(parentCallId === undefined ? {} : { parentCallId }),
      ...(batchIndex === undefined ? {} : { batchIndex }),
      ...(batchSize === undefined ? {} : { batchSize }),
    },
    stop: new StopSource(services.stop),
    // Once more, for to keep a grant takes time: from here to the look-up nothing is waited for.
    malformed: refused ?? changed(request, services),
    approved: edited ? undefined : { digest },
    answered: heard ? recordOf(ticketId, request, decision) : { ticketId, notes: [] },
  }
}

/** As a call notes it that waited for the answer itself. */
function recordOf(
  ticketId: string,
  request: ApprovalRequest,
  decision: ApprovalDecision,
): Answered {
  const note = { layer: 3, decision: decision.decision, ticketId }
  if (decision.decision !== 'edit') return { ticketId, notes: [note] }
  return {
    ticketId,
    notes: [note, { layer: 3, edited: maskSecretFields(decision.arguments) }],
    originalArguments: request.arguments,
  }
}

/** Nothing but the end of the gateway stops a resumed call. */
function wasKeptFromStarting({ status, metadata }: ToolResult, services: Services): boolean {
  return services.stop.stopped && status === 'cancelled' && metadata.outcome === 'not_started'
}

/** Says what became of the ticket: the audit has the call as it ended here. */
async function waitsAgain(
  request: ApprovalRequest,
  result: ToolResult,
  services: Services,
): Promise<ToolResult> {
  const hint = (await giveBack(request, services))
    ? 'Its ticket waits again: answer it where a gateway is open.'
    : 'Its ticket could not be put back: send the call again, and it is asked for anew.'
  return { ...result, error: { ...result.error!, hint } }
}

function noCall(ticketId: string, malformed: Failure, services: Services): CallInit {
  return {
    callId: services.tickets.callOf(ticketId) ?? services.ports.ids.next('call'),
    input: { name: '', arguments: {} },
    context: Object.freeze({}),
    lineage: { depth: 0 },
    stop: new StopSource(services.stop),
    malformed,
  }
}
