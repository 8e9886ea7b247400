import type { TargetPolicy } from '../guard/policy.ts'
import type { Operation } from '../operation/operation.ts'
import type { HttpToolFacts, HttpWeakness } from './report.ts'

const wideBits = { ipv4: 16, ipv6: 48 } as const

/** What a declaration leaves open: for the operator to judge (G1). */
export function weaknessesOf(
  facts: HttpToolFacts,
  policy: TargetPolicy,
  operation: Operation,
): readonly HttpWeakness[] {
  const found: HttpWeakness[] = []
  if (operation.target.kind === 'argument') {
    found.push({ rule: 'any-host', message: 'The model chooses the address: any public host.' })
  }
  if (operation.target.kind === 'server' && operation.target.base.protocol === 'http:') {
    const message =
      facts.auth === 'none'
        ? 'The server is reached without TLS.'
        : 'Credentials are sent without TLS.'
    found.push({ rule: 'no-tls', message })
  }
  if (facts.auth === 'apiKey in query') {
    const message = 'The key is part of the address, which servers and proxies write to their logs.'
    found.push({ rule: 'key-in-query', message })
  }
  for (const { network, bits } of policy.allow.ranges) {
    if (bits >= wideBits[network.kind()]) continue
    const message = `The range ${network.toString()}/${bits} is allowed as a whole.`
    found.push({ rule: 'wide-range', message })
  }
  return found
}
