import ipaddr from 'ipaddr.js'

import { isMetadataName, judgeAddress } from './address.ts'
import { parseUrl } from './parse-url.ts'
import { portOf, type TargetPolicy } from './policy.ts'
import type { Refusal } from './refusal.ts'

/** A URL that passed, or why it did not. */
export type JudgedUrl =
  | { readonly url: URL; readonly refusal?: undefined }
  | { readonly url?: undefined; readonly refusal: Refusal }

/**
 * Judges the text of a URL before anything is looked up (D10), in this order: scheme, host-parse, port,
 * metadata, private-ip. The host is judged as it was sent: what a URL parser would fold into another host is refused.
 */
export function judgeUrl(text: string, policy: TargetPolicy): JudgedUrl {
  const server = serverOf(text)
  const refusal = judgeScheme(text, policy) ?? judgeText(text, server)
  if (refusal) return { refusal }
  const passed = passedServers(policy)
  const isKnown = passed.has(server)
  const bad = isKnown ? undefined : judgeAuthority(text, policy)
  if (bad) return { refusal: bad }
  const url = parseUrl(text)
  if (url === undefined) return { refusal: badHost(text, 'it is not a URL') }
  if (isKnown) return { url }
  const fault = judgePort(url, policy) ?? judgeHost(url, authorityOf(text), policy)
  if (fault) return { refusal: fault }
  if (passed.size < maxServers) passed.add(server)
  return { url }
}

/** Scheme and authority as they are written. In a text without backslashes nothing behind them changes the server. */
function serverOf(text: string): string {
  return /^[^:]*:\/\/[^/?#]*/.exec(text)?.[0] ?? ''
}

/** Most calls of a policy go to one server; those of a tool whose address the model chooses, to a few. */
const maxServers = 64
const servers = new WeakMap<TargetPolicy, Set<string>>()

/** What was judged under a policy and passed. */
function passedServers(policy: TargetPolicy): Set<string> {
  const known = servers.get(policy) ?? new Set()
  servers.set(policy, known)
  return known
}

/** The host of a URL without brackets and trailing dots, as look-ups and allow-lists know it. */
export function hostnameOf(url: URL): string {
  return bareHost(url.hostname)
}

function bareHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase()
}

function judgeScheme(text: string, policy: TargetPolicy): Refusal | undefined {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase()
  if (scheme !== undefined && policy.schemes.includes(scheme)) return undefined
  return {
    rule: 'scheme',
    message: `Only ${policy.schemes.map((known) => `${known}//`).join(' and ')} addresses are allowed.`,
    reason: `The address begins with ${JSON.stringify(text.slice(0, 32))}.`,
  }
}

function authorityOf(text: string): string {
  return serverOf(text).replace(/^[^:]*:\/\//, '')
}

const localNames = new Set(['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback'])

/** What a parser would drop, or turn into a slash. */
function judgeText(text: string, server: string): Refusal | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  if (/[\u0000-\u0020\u007f]/.test(text))
    return badHost(text, 'it holds a space or a control character')
  if (server === '' || server.endsWith('://')) return badHost(text, 'it names no host')
  const backslash = text.indexOf('\\')
  const isBefore = backslash !== -1 && !/[?#]/.test(text.slice(0, backslash))
  return isBefore ? badHost(text, 'it holds a backslash') : undefined
}

/** The text between the slashes is what a person reads; nothing in it may mean something else to a parser. */
function judgeAuthority(text: string, policy: TargetPolicy): Refusal | undefined {
  const authority = authorityOf(text)
  if (authority.includes('@')) return badHost(text, 'it holds a user name or password')
  if (/[^\u0021-\u007e]/.test(authority)) return badHost(text, 'its host is not plain ASCII')
  if (authority.includes('%')) return badHost(text, 'its host is percent-encoded')
  const host = bareHost(authority.replace(/:\d*$/, ''))
  const local = localNames.has(host) || host.endsWith('.localhost')
  if (local && !policy.allow.names.has(host)) {
    return badHost(text, 'it names this machine', ` Put "${host}" in "allow" if it may be reached.`)
  }
  return undefined
}

function judgePort(url: URL, policy: TargetPolicy): Refusal | undefined {
  const port = portOf(url)
  if (port !== 0 && policy.ports.includes(port)) return undefined
  return {
    rule: 'port',
    message: `Port ${port} is not allowed; allowed are ${policy.ports.join(', ')}.`,
    reason: `${url.origin} asks for port ${port}.`,
  }
}

function judgeHost(url: URL, authority: string, policy: TargetPolicy): Refusal | undefined {
  const host = hostnameOf(url)
  if (isMetadataName(host)) {
    return {
      rule: 'metadata',
      message: 'This address belongs to a metadata service and is never reached.',
      reason: `${host} names a metadata service.`,
    }
  }
  if (!ipaddr.isValid(host)) return undefined
  const refusal = judgeAddress(host, host, policy)
  if (refusal) return refusal
  // 0x08080808 and 010.8.8.8 are addresses to a URL parser and names to a reader.
  const folded = !ipaddr.IPv6.isValid(host) && bareHost(authority.replace(/:\d*$/, '')) !== host
  return folded ? badHost(url.href, 'its host is a number written another way') : undefined
}

function badHost(text: string, why: string, advice = ''): Refusal {
  return {
    rule: 'host-parse',
    message: `The host of this address cannot be used: ${why}.`,
    reason: `${JSON.stringify(text.slice(0, 200))}: ${why}.${advice}`,
  }
}
