import type { ApprovalRequest } from '@callgate/spec'

import { isRecord } from '../registry/read-data.ts'
import { failure, type Failure } from '../results/failure.ts'
import { textOfThrown } from '../results/thrown.ts'
import { contextFits } from '../turn/context.ts'
import { stored, unknownOutcome } from './approval.ts'
import type { Services } from './services.ts'

export type Claimed = { readonly request: ApprovalRequest } | { readonly failure: Failure }

/** The call under a ticket, once; or why there is none. */
export async function claim(ticketId: string, services: Services): Promise<Claimed> {
  let claiming: Promise<unknown> | undefined
  try {
    claiming = services.ports.approvals.claim(ticketId)
    // A store with rows in place of objects gives null for none.
    const given = await stored(services, claiming)
    if (given === undefined || given === null) return { failure: unknownTicket(ticketId, services) }
    if (isRequest(given)) return { request: given }
    return { failure: failure('approval_denied', 'The store of approvals gave no call.') }
  } catch (error) {
    services.log.error('an approval could not be claimed', { ticketId, error: textOfThrown(error) })
    void claiming?.then((late) => isRequest(late) && giveBack(late, services)).catch(() => {})
    return {
      failure: failure(
        'backend_unavailable',
        'The store of approvals did not answer; nothing ran.',
      ),
    }
  }
}

/**
 * Puts a claimed call whose effect cannot have begun back under its ticket: whoever claimed it is the only one who
 * could have run it, so it still runs once at most. Gives back whether the ticket waits again.
 */
export async function giveBack(request: ApprovalRequest, services: Services): Promise<boolean> {
  try {
    await stored(services, services.ports.approvals.put(request))
    return true
  } catch (error) {
    const { ticketId } = request
    services.log.error('a ticket could not be put back', { ticketId, error: textOfThrown(error) })
    return false
  }
}

/** What a call is made of; that the rest is as it was asked for its signature says. */
function isRequest(given: unknown): given is ApprovalRequest {
  if (!isRecord(given) || !contextFits(given['context'])) return false
  return ['ticketId', 'callId', 'tool'].every((key) => typeof given[key] === 'string')
}

/** Whoever answered it may have been stopped in the middle of the call, so nobody here knows that it did not run. */
function unknownTicket(ticketId: string, { tickets }: Services): Failure {
  const callId = tickets.callOf(ticketId)
  const whose = callId === undefined ? '' : ` any more; it was for the call ${callId}`
  return unknownOutcome(`No call waits under the ticket ${ticketId}${whose}`)
}
