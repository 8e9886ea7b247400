const offset = 0xcbf29ce484222325n
const prime = 0x100000001b3n

/**
 * FNV-1a with 64 bits over the UTF-16 code units of a text. It names things, it protects nothing:
 * whoever maps ids by it has to look for collisions.
 */
export function hash64(text: string): bigint {
  let hash = offset
  for (let index = 0; index < text.length; index++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * prime)
  }
  return hash
}
