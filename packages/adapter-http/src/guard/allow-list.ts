import { InvalidOptionsError } from '@callgate/spec'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Hosts and address ranges that an operator lets a tool reach although they are not public. */
export interface AllowList {
  readonly names: ReadonlySet<string>
  readonly ranges: readonly { readonly network: Address; readonly bits: number }[]
}

/**
 * Reads the entries of `allow`: a host name, an address, or a range in CIDR form.
 *
 * @throws InvalidOptionsError (`allow-entry`) for anything else.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const names = new Set<string>()
  const ranges: { network: Address; bits: number }[] = []
  for (const entry of entries) {
    const bare = entry.replace(/^\[(.*)\]$/, '$1')
    if (ipaddr.isValidCIDR(bare)) {
      const [network, bits] = ipaddr.parseCIDR(bare)
      ranges.push({ network, bits })
    } else if (ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare)) {
      const network = ipaddr.parse(bare)
      ranges.push({ network, bits: network.kind() === 'ipv4' ? 32 : 128 })
    } else if (/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_-]+)*$/i.test(bare)) {
      names.add(bare.toLowerCase())
    } else {
      throw new InvalidOptionsError({
        rule: 'allow-entry',
        where: entry,
        message: `"${entry}" is not a host name, an address or a range.`,
        hint: 'Write a name such as "api.internal", an address such as "127.0.0.1" or a range such as "10.0.0.0/8", without scheme and port.',
      })
    }
  }
  return { names, ranges }
}

/** Whether an operator allowed this address, by the name it was reached by or by its range. */
export function isAllowed(list: AllowList, hostname: string, address: Address): boolean {
  return (
    list.names.has(hostname) ||
    list.ranges.some(
      ({ network, bits }) => network.kind() === address.kind() && address.match(network, bits),
    )
  )
}
