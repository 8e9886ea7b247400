import { Buffer } from 'node:buffer'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

import {
  fetch,
  type RequestInit as UndiciRequestInit,
  type Response as UndiciResponse,
} from 'undici'

import { isLoopback } from '../callbacks/url.ts'
import { createDispatcher, type TlsMaterial } from '../http/dispatcher.ts'
import { faultError } from '../http/status.ts'
import type { Credentials } from '../text/credentials.ts'

const timeoutMs = 20_000
const maxBytes = 1024 * 1024

const privateNets = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateNets.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  ['::1', 128],
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['::ffff:0:0', 96],
] as const) {
  privateNets.addSubnet(net, bits, 'ipv6')
}

/**
 * `fetch` for addresses that a server names while it is being authorized with: https only, no redirects, and nothing
 * inside a private network on the word of a server outside of it. A server on this machine may name this machine.
 */
export function createGuardedFetch(
  server: URL,
  tls: TlsMaterial,
  credentials: Credentials,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const own = createDispatcher(tls)
  // The client's certificate is for the server alone.
  const other = createDispatcher(tls.ca === undefined ? {} : { ca: tls.ca })
  return async (given, init) => {
    const url = new URL(given)
    const local = isLoopback(server.hostname)
    if (url.protocol !== 'https:' && !(local && isLoopback(url.hostname))) {
      throw refused(url, 'is not https')
    }
    if (!local && (await isPrivate(url.hostname)) && !(await isPrivate(server.hostname))) {
      throw refused(url, 'is in a private network')
    }
    // Shorter than the age at which a lock on the tokens counts as left behind.
    const signal = AbortSignal.timeout(timeoutMs)
    const dispatcher = url.origin === server.origin ? own : other
    const more = { signal, redirect: 'manual', dispatcher } as const
    const response = await fetch(url, { ...(init as unknown as UndiciRequestInit), ...more })
    if (response.status >= 300 && response.status < 400) throw refused(url, 'redirects')
    return asOfNode(response, url, credentials)
  }
}

/** The same answer as the class that the SDK looks for, read up to a size that no such answer has. */
async function asOfNode(
  response: UndiciResponse,
  url: URL,
  credentials: Credentials,
): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw refused(url, 'answers with too much')
    chunks.push(chunk)
  }
  const { status } = response
  const headers = [...response.headers]
  const body = Buffer.concat(chunks)
  // The library itself prints an error that repeats a token.
  const shown = status < 400 ? body : credentials.text(body.toString())
  return new Response(size === 0 ? null : shown, { status, headers })
}

function refused(url: URL, why: string): Error {
  return faultError({
    kind: 'unauthorized',
    reason: `the address ${url.origin}${url.pathname}, named for authorization, ${why}`,
  })
}

async function isPrivate(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(hostname)) return true
  const addresses = isIP(host) > 0 ? [host] : await resolve(host)
  return addresses.some((address) =>
    privateNets.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
  )
}

async function resolve(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    // The request itself will say so.
    return []
  }
}
