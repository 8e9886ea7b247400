import {
  InvalidOptionsError,
  type ApprovalDecision,
  type ApprovalRequest,
  type ToolResult,
} from '@callgate/spec'

import { definitionDigest } from '../policy/pins.ts'
import { isRecord } from '../registry/read-data.ts'
import { failure, type Failure } from '../results/failure.ts'
import { textOfThrown } from '../results/thrown.ts'
import { bounded } from '../turn/or-stopped.ts'
import { StopSource } from '../turn/stop.ts'
import { denied, rememberGrant, stored, unknownOutcome } from './approval.ts'
import type { CallInit } from './call.ts'
import { faultOfDecision } from './decision.ts'
import { stoppedBefore } from './execution.ts'
import { runCall } from './pipeline.ts'
import { scopeOf } from './scope.ts'
import type { Services } from './services.ts'
import { faultOfArguments } from './validation.ts'

/**
 * Continues a call that waits for a human, in this process or another (R9.3): the ticket is claimed once, and what
 * runs is exactly what was approved.
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
  void services.bus.run('approval_decision', { request, decision }, scopeOf(request.context))
  const refused = refusal(ticketId, request, decision, services)
  if (refused === undefined && decision.decision === 'approve') {
    await rememberGrant(services, request, decision.scope)
  }
  return runCall(resumed(request, decision, refused, services), services)
}

/** Before the ticket is claimed, so that a mistake of the program does not use it up. */
function checkDecision(decision: ApprovalDecision): void {
  const fault = faultOfDecision(decision)
  if (fault === undefined) return
  throw new InvalidOptionsError({
    rule: 'approval-decision',
    where: '/decision',
    message: `The answer to an approval does not fit: ${fault}.`,
    hint: 'Give { decision: "approve" }, { decision: "deny" } or { decision: "edit", arguments }.',
  })
}

function refusal(
  ticketId: string,
  request: ApprovalRequest,
  decision: ApprovalDecision,
  services: Services,
): Failure | undefined {
  if (!services.tickets.verify(request, ticketId)) {
    return failure('approval_denied', 'The approval is not the one that was asked for.', {
      rule: 'ticket',
    })
  }
  services.tickets.remember(request)
  if (services.ports.clock.now() > request.expiresAt) {
    return failure('approval_expired', 'The approval came too late.')
  }
  if (decision.decision === 'deny') return denied(decision.reason)
  const entry = services.registry.find(request.tool)
  if (entry !== undefined && definitionDigest(entry.definition) !== request.definitionDigest) {
    return failure(
      'definition_changed',
      `${request.tool} changed since its call was put to a person.`,
      {
        hint: 'Send the call again, so that the tool as it is now can be approved.',
      },
    )
  }
  return undefined
}

function resumed(
  request: ApprovalRequest,
  decision: ApprovalDecision,
  refused: Failure | undefined,
  services: Services,
): CallInit {
  const { parentCallId, batchIndex, batchSize, ticketId, digest } = request
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
    malformed: refused,
    approved: edited ? undefined : { ticketId, digest },
  }
}

/**
 * Arguments that do not fit are the human's to correct, not the model's: they are looked at while the ticket still lies
 * in the store. What cannot be looked at now is left to validation.
 */
async function checkEdit(ticketId: string, edited: unknown, services: Services): Promise<void> {
  const fault = await faultOfEdit(ticketId, edited, services)
  if (fault === undefined) return
  throw new InvalidOptionsError({
    rule: 'approval-edit',
    where: '/decision/arguments',
    message: `The edited arguments do not fit. ${fault.message}`,
    hint: 'Correct them and answer the same ticket again; it still waits.',
  })
}

async function faultOfEdit(
  ticketId: string,
  edited: unknown,
  services: Services,
): Promise<Failure | undefined> {
  const { ports, registry, settings, log } = services
  try {
    const waiting = await stored(services, ports.approvals.list())
    const request = waiting.find((one) => one.ticketId === ticketId)
    const entry = request === undefined ? undefined : registry.find(request.tool)
    if (entry === undefined) return undefined
    const bounds = { what: 'the schema', ms: settings.timeoutMs, clock: ports.clock }
    return await bounded(faultOfArguments(entry, edited), bounds)
  } catch (error) {
    log.warn('edited arguments could not be looked at', { ticketId, error: textOfThrown(error) })
    return undefined
  }
}

type Claimed = { readonly request: ApprovalRequest } | { readonly failure: Failure }

/** The call under a ticket, once; or why there is none. */
async function claim(ticketId: string, services: Services): Promise<Claimed> {
  try {
    // A store with rows in place of objects gives null for none.
    const given: unknown = await stored(services, services.ports.approvals.claim(ticketId))
    if (given === undefined || given === null) return { failure: unknownTicket(ticketId, services) }
    if (isRequest(given)) return { request: given }
    return { failure: failure('approval_denied', 'The store of approvals gave no call.') }
  } catch (error) {
    services.log.error('an approval could not be claimed', { ticketId, error: textOfThrown(error) })
    return {
      failure: failure(
        'backend_unavailable',
        'The store of approvals did not answer; nothing ran.',
      ),
    }
  }
}

/** What a call is made of; that the rest is as it was asked for its signature says. */
function isRequest(given: unknown): given is ApprovalRequest {
  if (!isRecord(given) || !isRecord(given['context'])) return false
  return ['ticketId', 'callId', 'tool'].every((key) => typeof given[key] === 'string')
}

/** Whoever answered it may have been stopped in the middle of the call, so nobody here knows that it did not run. */
function unknownTicket(ticketId: string, { tickets }: Services): Failure {
  const callId = tickets.callOf(ticketId)
  const whose = callId === undefined ? '' : ` any more; it was for the call ${callId}`
  return unknownOutcome(`No call waits under the ticket ${ticketId}${whose}`)
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
