import { isIP, type LookupFunction } from 'node:net'

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
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolveJudged(hostname, policy, network).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (first === undefined) return callback(new Error(`${hostname} has no address`), '')
        return options.all ? callback(null, found) : callback(null, first.address, first.family)
      },
      (cause: Error) => callback(cause, ''),
    )
  }
  const dial = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup,
  } as buildConnector.BuildOptions)
  return (options, callback) => {
    const done: buildConnector.Callback = (...result) =>
      result[0] === null ? callback(...result) : callback(connectFault(result[0]), null)
    if (network.connect) {
      openThrough(network.connect, options, policy, network).then(
        (socket) => done(null, socket),
        (cause: Error) => done(cause, null),
      )
    } else if (isIP(options.hostname) === 0) {
      dial(options, done)
    } else {
      resolveJudged(options.hostname, policy, network).then(
        () => dial(options, done),
        (cause: Error) => done(cause, null),
      )
    }
  }
}

async function openThrough(
  connect: NonNullable<HttpNetwork['connect']>,
  options: buildConnector.Options,
  policy: TargetPolicy,
  network: HttpNetwork,
): ReturnType<NonNullable<HttpNetwork['connect']>> {
  const [address] = await resolveJudged(options.hostname, policy, network)
  if (address === undefined) throw new Error(`${options.hostname} has no address`)
  const protocol = options.protocol === 'https:' ? 'https:' : 'http:'
  const port = options.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(options.port)
  return connect({ address, port, hostname: options.hostname, protocol })
}

/** A refusal of the guard stays what it is; all else is marked as "nothing was sent". */
function connectFault(cause: Error): Error {
  return ToolError.isInstance(cause) ? cause : new ConnectFailure(cause)
}
