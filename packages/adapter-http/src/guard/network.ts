import { lookup } from 'node:dns/promises'
import type { Socket } from 'node:net'

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
