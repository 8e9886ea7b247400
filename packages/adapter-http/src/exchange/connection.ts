import type { Dispatcher } from 'undici'

import type { HttpAuth } from '../auth/auth.ts'
import { bearer, noCredentials, staticCredentials, type Credentials } from '../auth/credentials.ts'
import { createTokenCache } from '../auth/oauth2.ts'
import type { SecretSource } from '../auth/secrets.ts'
import { portOf, targetPolicy, type TargetOptions, type TargetPolicy } from '../guard/policy.ts'
import type { Wire } from './send.ts'

/** Gives the pool of a policy; one pool for equal policies. */
export type PoolSource = (policy: TargetPolicy) => Dispatcher

/** How the tools of one document, or one declared tool, reach their server. */
export interface Connection {
  readonly policy: TargetPolicy
  wire(signal: AbortSignal): Wire
  credentials(signal: AbortSignal): Promise<Credentials>
  /** After a 401: forgets what was refused; false where nothing newer can be had. */
  refused(credentials: Credentials): boolean
}

/** Makes a connection; nothing is looked up or opened yet. */
export function createConnection(
  targets: TargetOptions,
  base: URL | undefined,
  auth: HttpAuth | undefined,
  secret: SecretSource,
  pools: PoolSource,
): Connection {
  const policy = targetPolicy(targets, base)
  const wire = (signal: AbortSignal): Wire => ({ pool: pools(policy), policy, signal })
  if (auth === undefined) {
    return { policy, wire, credentials: async () => noCredentials, refused: () => false }
  }
  if (auth.type !== 'oauth2') {
    return {
      policy,
      wire,
      credentials: async () => staticCredentials(auth, secret),
      refused: () => false,
    }
  }
  const tokens = createTokenCache(auth, secret)
  // The token server is the operator's choice too, with its own port, whatever those of the tools are.
  const ports = [portOf(new URL(auth.tokenUrl))]
  const tokenPolicy = targetPolicy({ ...targets, ports, redirects: 0 }, undefined)
  return {
    policy,
    wire,
    credentials: async (signal) => {
      const token = await tokens.get({ pool: pools(tokenPolicy), policy: tokenPolicy, signal })
      return { ...bearer(token), issued: token }
    },
    refused: (credentials) => {
      tokens.forget((credentials.headers['authorization'] ?? '').replace('Bearer ', ''))
      return true
    },
  }
}
