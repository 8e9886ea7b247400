import type { ApprovalRequest } from '@callgate/spec'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

import { canonicalJson } from '../results/canonical.ts'

/**
 * Ties a ticket to what a human is asked, so that neither a ticket nor its arguments can be changed in a store (R9.3).
 * With a key nobody without it can make a ticket; without one the id of the ticket, which the caller was given, still
 * says what it is for.
 */
export interface Tickets {
  /** The same request with a ticket id that carries its signature. */
  sign(request: ApprovalRequest): ApprovalRequest
  /** Whether the request is the one that was given this ticket id. */
  verify(request: ApprovalRequest, ticketId: string): boolean
  /** The call that was put to a human under a ticket, where this gateway made or claimed it lately. */
  callOf(ticketId: string): string | undefined
  /** Keeps that of a ticket made elsewhere. */
  remember(request: Pick<ApprovalRequest, 'ticketId' | 'callId'>): void
}

/** So many tickets are remembered; the oldest is forgotten. */
const maxRemembered = 1000

export function createTickets(key: string | undefined): Tickets {
  const secret = key === undefined ? undefined : utf8ToBytes(key)
  // The id stands in for the ticket's, which carries the signature.
  const signature = (request: ApprovalRequest, id: string): string => {
    const text = utf8ToBytes(canonicalJson({ ...request, ticketId: id }))
    return bytesToHex(secret === undefined ? sha256(text) : hmac(sha256, secret, text)).slice(0, 32)
  }
  const calls = new Map<string, string>()
  const remember: Tickets['remember'] = ({ ticketId, callId }) => {
    calls.set(ticketId, callId)
    if (calls.size > maxRemembered) calls.delete(calls.keys().next().value!)
  }
  return {
    sign(request) {
      const ticketId = `${request.ticketId}.${signature(request, request.ticketId)}`
      remember({ ticketId, callId: request.callId })
      return { ...request, ticketId }
    },
    remember,
    callOf: (ticketId) => calls.get(ticketId),
    verify(request, ticketId) {
      const at = ticketId.lastIndexOf('.')
      const id = ticketId.slice(0, Math.max(0, at))
      try {
        return (
          request.ticketId === ticketId && sameText(ticketId.slice(at + 1), signature(request, id))
        )
      } catch {
        // What has no canonical form was never signed.
        return false
      }
    },
  }
}

/** Takes the same time wherever the texts differ. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < b.length; index++) {
    difference |= (a.charCodeAt(index) || 0) ^ b.charCodeAt(index)
  }
  return difference === 0
}
