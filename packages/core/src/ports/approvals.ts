import type { ApprovalGrant, ApprovalRequest, Ports } from '@callgate/spec'

const maxGrants = 10_000

/** Approvals in memory: they end with the process, so a call is asked for or refused, never left pending. */
export function memoryApprovals(): Ports['approvals'] {
  const pending = new Map<string, ApprovalRequest>()
  const grants: ApprovalGrant[] = []
  const take = (ticketId: string): ApprovalRequest | undefined => {
    const request = pending.get(ticketId)
    pending.delete(ticketId)
    return request
  }
  return {
    durable: false,
    async put(request) {
      pending.set(request.ticketId, request)
    },
    async decide(ticketId) {
      return take(ticketId) === undefined ? 'gone' : 'decided'
    },
    claim: async (ticketId) => take(ticketId),
    async withdraw(ticketId) {
      pending.delete(ticketId)
    },
    list: async () => [...pending.values()],
    async grant(grant) {
      grants.push(grant)
      if (grants.length > maxGrants) grants.shift()
    },
    granted: async (request) => grants.some((grant) => covers(grant, request)),
  }
}

/** A grant counts only if it covers every rule; without a rule it is for the tool with the exact arguments. */
function covers(grant: ApprovalGrant, request: ApprovalRequest): boolean {
  if (grant.tool !== request.tool) return false
  // What was approved is the tool as it was then.
  if (grant.definitionDigest !== request.definitionDigest) return false
  if (grant.scope === 'session' && grant.sessionId !== request.sessionId) return false
  if (!request.rules.every((rule) => grant.rules.includes(rule))) return false
  if (grant.digest !== undefined) return grant.digest === request.digest
  return request.rules.length > 0 && request.rules.length >= request.reasons.length
}
