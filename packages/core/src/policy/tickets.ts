import type { ApprovalRequest } from '@callgate/spec'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

import { canonicalJson } from '../results/canonical.ts'

/** Signs what a human is asked, so that neither a ticket nor its arguments can be forged in a store (R9.3). */
export interface Tickets {
  /** The same request with a ticket id that carries a signature, where there is a key. */
  sign(request: ApprovalRequest): ApprovalRequest
  verify(request: ApprovalRequest): boolean
}

export function createTickets(key: string | undefined): Tickets {
  if (key === undefined) return { sign: (request) => request, verify: () => true }
  const secret = utf8ToBytes(key)
  // The id stands in for the ticket's, which carries the signature.
  const signature = (request: ApprovalRequest, id: string): string =>
    bytesToHex(
      hmac(sha256, secret, utf8ToBytes(canonicalJson({ ...request, ticketId: id }))),
    ).slice(0, 32)
  return {
    sign: (request) => ({
      ...request,
      ticketId: `${request.ticketId}.${signature(request, request.ticketId)}`,
    }),
    verify(request) {
      const at = request.ticketId.lastIndexOf('.')
      const id = request.ticketId.slice(0, Math.max(0, at))
      return sameText(request.ticketId.slice(at + 1), signature(request, id))
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
