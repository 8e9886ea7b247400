import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * A deterministic call id (R2.3): `call_` and the first 12 hexadecimal digits of SHA-256 over name, parent id,
 * argument text and index. Replaying a turn gives the same ids.
 */
export function deterministicCallId(
  name: string,
  parentId: string,
  argumentText: string,
  index: number,
): string {
  // A lone surrogate has no UTF-8 form; it counts as one `?`.
  const seed = `${name}:${parentId}${argumentText}:${index}`.replaceAll(/\p{Surrogate}/gu, '?')
  return `call_${bytesToHex(sha256(utf8ToBytes(seed))).slice(0, 12)}`
}
