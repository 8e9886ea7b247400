import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** JSON with sorted keys, so that equal values have equal texts (as RFC 8785 orders them). What JSON leaves out is left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}n"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .toSorted()
    .flatMap((key) => {
      const part = (value as Record<string, unknown>)[key]
      const absent = part === undefined || typeof part === 'function'
      return absent ? [] : [`${JSON.stringify(key)}:${canonicalJson(part)}`]
    })
  return `{${members.join(',')}}`
}

/** SHA-256 in hexadecimal over a canonical value. */
export function digestOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))))
}
