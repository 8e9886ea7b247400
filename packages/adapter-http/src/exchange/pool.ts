import { Agent } from 'undici'

import type { HttpNetwork } from '../guard/network.ts'
import type { TargetPolicy } from '../guard/policy.ts'
import { guardedConnector } from './connector.ts'
import type { HttpLimits } from './limits.ts'

/** Kept connections under one policy (D14); no proxy of the environment is used. */
export function createPool(
  policy: TargetPolicy,
  network: HttpNetwork,
  limits: Required<HttpLimits>,
): Agent {
  return new Agent({
    connect: guardedConnector(policy, network, limits.connectTimeoutMs),
    connections: limits.connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: limits.headersTimeoutMs,
    bodyTimeout: limits.idleTimeoutMs,
    maxHeaderSize: 64 * 1024,
  })
}
