import {
  InvalidOptionsError,
  type ApprovalDecision,
  type ApprovalRequest,
  type ToolResult,
} from '@callgate/spec'

import { definitionDigest } from '../policy/pins.ts'
import { failure, type Failure } from '../results/failure.ts'
import { textOfThrown } from '../results/thrown.ts'
import { StopSource } from '../turn/stop.ts'
import { denied, rememberGrant, stored } from './approval.ts'
import type { CallInit } from './call.ts'
import { faultOfDecision } from './decision.ts'
import { runCall } from './pipeline.ts'
import { scopeOf } from './scope.ts'
import type { Services } from './services.ts'

/**
 * Continues a call that waits for a human, in this process or another (R9.3): the ticket is claimed once, and what
 * runs is exactly what was approved.
 */
export async function resumeCall(
  ticketId: string,
  decision: ApprovalDecision,
  services: Services,
): Promise<ToolResult> {
  checkDecision(decision)
  const request = await claim(ticketId, services)
  if (request === undefined || 'code' in request) {
    return runCall(noCall(request ?? unknownTicket(ticketId), services), services)
  }
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

/** The call under a ticket, once; or why the store did not give it. */
async function claim(
  ticketId: string,
  services: Services,
): Promise<ApprovalRequest | Failure | undefined> {
  try {
    return await stored(services, services.ports.approvals.claim(ticketId))
  } catch (error) {
    services.log.error('an approval could not be claimed', { ticketId, error: textOfThrown(error) })
    return failure('backend_unavailable', 'The store of approvals did not answer; nothing ran.')
  }
}

function unknownTicket(ticketId: string): Failure {
  return failure('approval_expired', `No call waits under the ticket ${ticketId}.`, {
    hint: 'It was answered, withdrawn, or has expired.',
  })
}

function noCall(malformed: Failure, services: Services): CallInit {
  return {
    callId: services.ports.ids.next('call'),
    input: { name: '', arguments: {} },
    context: Object.freeze({}),
    lineage: { depth: 0 },
    stop: new StopSource(services.stop),
    malformed,
  }
}
