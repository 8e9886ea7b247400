import { isIP } from 'node:net'

import type { AdapterInstance } from '@callgate/spec'

import { systemResolve } from '../guard/network.ts'
import { hostnameOf } from '../guard/url.ts'
import type { HttpAdapterOptions } from './options.ts'

type Health = Awaited<ReturnType<NonNullable<AdapterInstance['health']>>>

/**
 * Whether the hosts of documents and tools have an address (A13): it costs nothing there and changes nothing. With
 * what is known to be missing, the adapter is not all there.
 */
export async function checkHealth(
  origins: readonly string[],
  troubles: readonly string[],
  options: HttpAdapterOptions,
  signal: AbortSignal,
): Promise<Health> {
  const resolve = options.network?.resolve ?? systemResolve
  const hosts = [...new Set(origins.map((origin) => hostnameOf(new URL(origin))))]
  const missing: string[] = []
  await Promise.all(
    hosts.map(async (host) => {
      // A literal is its own address; calls look none up either.
      if (isIP(host) !== 0) return
      const addresses = await resolve(host).catch(() => [])
      if (addresses.length === 0) missing.push(host)
    }),
  )
  signal.throwIfAborted()
  const isMissing = missing.length > 0
  const lost = isMissing ? [`no address for ${missing.toSorted().join(', ')}`] : []
  const reason = [...lost, ...troubles].join('; ')
  if (reason === '') return { state: 'ok' }
  return { state: isMissing && missing.length === hosts.length ? 'down' : 'degraded', reason }
}
