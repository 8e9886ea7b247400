import { isIP } from 'node:net'

import { judgeAddress } from './address.ts'
import { systemResolve, type HttpNetwork } from './network.ts'
import type { TargetPolicy } from './policy.ts'
import { refused } from './refusal.ts'

/**
 * Resolves a host once and judges every address of it (D10); a literal is judged as it is.
 *
 * Gives back the addresses, which are the only ones that may then be dialled.
 *
 * @throws ToolError `guard_refused` with the rule `dns` when a name has an address that is not allowed,
 * with the literal's own rule when the host is an address.
 */
export async function resolveJudged(
  host: string,
  policy: TargetPolicy,
  network: HttpNetwork,
): Promise<readonly string[]> {
  const hostname = host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase()
  const literal = isIP(hostname) !== 0
  const addresses = literal ? [hostname] : await (network.resolve ?? systemResolve)(hostname)
  for (const address of addresses) {
    const refusal = judgeAddress(address, hostname, policy)
    if (refusal) throw refused(literal ? refusal : { ...refusal, rule: 'dns' })
  }
  return addresses
}
