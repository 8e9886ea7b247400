import { lookup } from 'node:dns/promises'
import type { Socket } from 'node:net'

import { InvalidOptionsError } from '@callgate/spec'

/** What the guard has judged and a connection is opened to. */
export interface DialTarget {
  /** The address that was judged. */
  readonly address: string
  readonly port: number
  /** The name of the URL, for TLS. */
  readonly hostname: string
  readonly protocol: 'http:' | 'https:'
}

/** How names are looked up and connections are opened; default: the system's. For tunnels and for tests without a network. */
export interface HttpNetwork {
  /** Gives every address of a name; rejects if there is none. The guard judges each. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  /** Opens a connection to the judged address; for `https:` the socket it gives has TLS done. */
  readonly connect?: (target: DialTarget) => Promise<Socket>
}

/** Every address of a name, as the system resolves it. */
export async function systemResolve(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

/**
 * Looks at what JSON Schema knows nothing of: that both are functions, where they are given.
 *
 * @throws InvalidOptionsError with the rule adapter-options.
 */
export function checkNetwork(network: unknown): void {
  const isObject = typeof network === 'object' && network !== null
  const given = isObject ? (network as { readonly [name: string]: unknown }) : {}
  const wrong = Object.entries(given).find(
    ([name, value]) =>
      !['resolve', 'connect'].includes(name) ||
      (value !== undefined && typeof value !== 'function'),
  )
  if ((network === undefined || isObject) && wrong === undefined) return
  const where = wrong === undefined ? 'network' : `network/${wrong[0]}`
  throw new InvalidOptionsError({
    rule: 'adapter-options',
    where,
    message: `The option "${where}" of the adapter for HTTP does not fit.`,
    hint: 'Give network an object with the functions "resolve" and "connect", or one of both.',
  })
}
