import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { ToolError } from '@callgate/spec'
import { buildConnector } from 'undici'

import type { HttpNetwork } from '../guard/network.ts'
import type { TargetPolicy } from '../guard/policy.ts'
import { resolveJudged } from '../guard/resolve.ts'

/** A connection that could not be opened: nothing was sent on it. */
export class ConnectFailure extends Error {
  constructor(cause: unknown) {
    super('The connection could not be opened.', { cause })
    this.name = 'ConnectFailure'
  }
}

type Connect = NonNullable<HttpNetwork['connect']>

/**
 * Opens connections for a pool, only to addresses that were judged (D10).
 *
 * A name is resolved once and the answer that was judged is the answer that is dialled, so a second answer
 * (rebinding) is never seen. Literals are judged apart, since look-up functions are not called for them.
 */
export function guardedConnector(
  policy: TargetPolicy,
  network: HttpNetwork,
  connectTimeoutMs: number,
): buildConnector.connector {
  const resolve = callbackify((host: string) => resolveJudged(host, policy, network))
  const connect = network.connect && callbackify(openThrough(network.connect, policy, network))
  const dial = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: judgedLookup(resolve),
  } as buildConnector.BuildOptions)
  return (options, callback) => {
    const done: buildConnector.Callback = (...result) =>
      result[0] === null ? callback(...result) : callback(connectFault(result[0]), null)
    if (connect) {
      connect(options, (cause, socket) => (cause ? done(cause, null) : done(null, socket)))
    } else if (isIP(options.hostname) === 0) {
      dial(options, done)
    } else {
      resolve(options.hostname, (cause) => (cause ? done(cause, null) : dial(options, done)))
    }
  }
}

type Resolve = (
  host: string,
  callback: (cause: Error | null, addresses: readonly string[]) => void,
) => void

/** A look-up function for `net.connect` that knows judged addresses only. */
function judgedLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (cause, addresses) => {
      if (cause) return callback(cause, '')
      const found = addresses.map((address) => ({ address, family: isIP(address) }))
      const [first] = found
      if (first === undefined) return callback(noAddress(hostname), '')
      return options.all ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}

function openThrough(
  connect: Connect,
  policy: TargetPolicy,
  network: HttpNetwork,
): (options: buildConnector.Options) => ReturnType<Connect> {
  return async (options) => {
    const [address] = await resolveJudged(options.hostname, policy, network)
    if (address === undefined) throw noAddress(options.hostname)
    const protocol = options.protocol === 'https:' ? 'https:' : 'http:'
    const port = options.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(options.port)
    return connect({ address, port, hostname: options.hostname, protocol })
  }
}

function noAddress(hostname: string): Error {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' })
}

/** A refusal of the guard stays what it is; all else is marked as "nothing was sent". */
function connectFault(cause: Error): Error {
  return ToolError.isInstance(cause) ? cause : new ConnectFailure(cause)
}
