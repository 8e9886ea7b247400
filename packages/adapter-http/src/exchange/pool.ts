import { Agent, type Dispatcher } from 'undici'

import type { HttpNetwork } from '../guard/network.ts'
import type { TargetPolicy } from '../guard/policy.ts'
import { guardedConnector } from './connector.ts'
import type { HttpLimits } from './limits.ts'
import { notesProgress } from './request-once.ts'

/** Kept connections of one policy. */
export interface Pool {
  readonly dispatcher: Dispatcher
  destroy(): Promise<void>
}

/** Makes a pool (D14); no proxy of the environment is used. */
export function createPool(
  policy: TargetPolicy,
  network: HttpNetwork,
  limits: Required<HttpLimits>,
): Pool {
  const agent = new Agent({
    connect: guardedConnector(policy, network, limits.connectTimeoutMs),
    connections: limits.connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: limits.headersTimeoutMs,
    bodyTimeout: limits.idleTimeoutMs,
    maxHeaderSize: 64 * 1024,
  })
  return { dispatcher: agent.compose(notesProgress), destroy: () => agent.destroy() }
}
