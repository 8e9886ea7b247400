import ipaddr from 'ipaddr.js'

import { isAllowed } from './allow-list.ts'
import type { TargetPolicy } from './policy.ts'
import type { Refusal } from './refusal.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Addresses at which clouds hand out credentials; no allow-list opens them. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Google, Azure and most others
  '169.254.170.2', // AWS ECS task credentials
  '169.254.170.23', // AWS EKS pod identity
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure wire server, a public address by number
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS over IPv6
  'fd00:ec2::23', // AWS EKS over IPv6
  'fd20:ce::254', // Google over IPv6
])

const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
])

/** Whether a name stands for a metadata service; decided before any look-up. */
export function isMetadataName(hostname: string): boolean {
  return metadataNames.has(hostname)
}

/**
 * Judges one address (D10), a literal or an answer of a look-up.
 *
 * Takes the address as text and the name it was reached by; gives back why it is refused, or nothing.
 */
export function judgeAddress(
  text: string,
  hostname: string,
  policy: TargetPolicy,
): Refusal | undefined {
  if (!ipaddr.isValid(text)) return privateAddress(text, 'not an address')
  const address = ipaddr.parse(text)
  const inner = embeddedIPv4(address)
  const forms = inner ? [address, inner] : [address]
  if (forms.some((form) => metadataAddresses.has(form.toString()))) {
    return {
      rule: 'metadata',
      message: 'This address belongs to a metadata service and is never reached.',
      reason: `${hostname} is ${text}, a metadata address.`,
    }
  }
  if (forms.some((form) => isAllowed(policy.allow, hostname, form))) return undefined
  const faults = forms.map((form) => specialRange(form)).filter((range) => range !== undefined)
  // An IPv4 address in the mapped or NAT64 form is as good as the address inside.
  const judged = inner && carriesPublicIPv4(address) ? specialRange(inner) : faults[0]
  return judged === undefined ? undefined : privateAddress(text, judged, hostname)
}

function privateAddress(text: string, range: string, hostname: string = text): Refusal {
  return {
    rule: 'private-ip',
    message: `This address is not public (${range}) and not allowed for this tool.`,
    reason: `${hostname} is ${text}, in ${range}. Put the host or its range in "allow" if the tool may reach it.`,
  }
}

function carriesPublicIPv4(address: Address): boolean {
  const range = address.range()
  return range === 'ipv4Mapped' || (range === 'rfc6052' && isNat64At96(address as ipaddr.IPv6))
}

/** A network may have a shorter prefix below 64:ff9b:1::/48, and then the address inside stands before the end. */
function isNat64At96({ parts }: ipaddr.IPv6): boolean {
  return parts.slice(3, 6).every((part) => part === 0)
}

/** The special range that an address lies in, with its prefix; nothing for a public one. */
function specialRange(address: Address): string | undefined {
  const name = address.range()
  if (name === 'unicast') return undefined
  const found = rangesNamed(address, name).find(([network, bits]) => address.match(network, bits))
  return found ? `${name}, ${found[0].toString()}/${found[1]}` : name
}

type Range = readonly [network: Address, bits: number]

/** The library lists one range bare and several in a list. */
function rangesNamed(address: Address, name: string): readonly Range[] {
  const { SpecialRanges } = address as unknown as {
    SpecialRanges: Partial<Record<string, Range | readonly Range[]>>
  }
  const entry = SpecialRanges[name] ?? []
  return (Array.isArray(entry[0]) ? entry : [entry]) as readonly Range[]
}

/** The IPv4 address inside an IPv6 one: mapped, compatible, translated, NAT64, 6to4, Teredo. */
function embeddedIPv4(address: Address): ipaddr.IPv4 | undefined {
  if (address.kind() === 'ipv4') return undefined
  const parts = (address as ipaddr.IPv6).parts
  const pair = embeddedPair(parts)
  if (pair === undefined) return undefined
  const [high, low] = pair
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
}

/** Forms that carry an IPv4 address: what the first parts are, and where it stands. */
const embeddings: readonly {
  readonly prefix: readonly number[]
  readonly at: number
  readonly inverted?: boolean
}[] = [
  { prefix: [0x2002], at: 1 }, // 6to4, RFC 3056
  { prefix: [0x2001, 0], at: 6, inverted: true }, // Teredo, RFC 4380
  { prefix: [0x64, 0xff9b], at: 6 }, // NAT64, RFC 6052 and 8215
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 }, // mapped, RFC 4291
  { prefix: [0, 0, 0, 0, 0xffff, 0], at: 6 }, // translated, RFC 2765
  { prefix: [0, 0, 0, 0, 0, 0], at: 6 }, // compatible, RFC 4291
]

function embeddedPair(parts: readonly number[]): readonly [number, number] | undefined {
  const form = embeddings.find(({ prefix }) =>
    prefix.every((value, index) => parts[index] === value),
  )
  if (form === undefined) return undefined
  const [high = 0, low = 0] = parts.slice(form.at, form.at + 2)
  // :: and ::1 are addresses of their own.
  if (parts.every((part, index) => part === 0 || (index === 7 && part === 1))) return undefined
  return form.inverted ? [high ^ 0xffff, low ^ 0xffff] : [high, low]
}
