import type { PoolSource } from '../exchange/connection.ts'
import { defaultLimits, type HttpLimits } from '../exchange/limits.ts'
import { createPool, type Pool } from '../exchange/pool.ts'
import type { TargetPolicy } from '../guard/policy.ts'
import type { HttpAdapterOptions } from './options.ts'

/** The pools of an adapter, one for each policy, so that no connection is used under another's rules (D14). */
export interface Pools {
  readonly limits: Required<HttpLimits>
  readonly forPolicy: PoolSource
  /** Closes every connection; what still runs on one is broken off. */
  close(): Promise<void>
}

export function createPools(options: HttpAdapterOptions): Pools {
  const limits = { ...defaultLimits, ...options.limits }
  const network = options.network ?? {}
  const byPolicy = new WeakMap<TargetPolicy, Pool>()
  const byKey = new Map<string, Pool>()
  return {
    limits,
    forPolicy: (policy) => {
      const known = byPolicy.get(policy)
      if (known) return known.dispatcher
      const key = policyKey(policy)
      const pool = byKey.get(key) ?? createPool(policy, network, limits)
      byKey.set(key, pool)
      byPolicy.set(policy, pool)
      return pool.dispatcher
    },
    close: async () => {
      const pools = [...byKey.values()]
      byKey.clear()
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}

/** What the connections of a policy depend on. */
function policyKey({ allow }: TargetPolicy): string {
  const ranges = allow.ranges.map(({ network, bits }) => `${network.toString()}/${bits}`)
  return JSON.stringify([[...allow.names].toSorted(), ranges.toSorted()])
}
