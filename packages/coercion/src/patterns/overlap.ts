const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** Whether a class may take a character beyond ASCII. */
const wide = /[^\0-\x7f]|\\[DWSspPux]|^\.|^\[\^/

/**
 * For each class the ASCII characters it takes, as bits, and one bit for all that lies beyond: two classes overlap at
 * most if they share a bit.
 */
export function classBits(sources: readonly string[], flags: string): bigint[] {
  return sources.map((source) => {
    const single = new RegExp(`^(?:${source})$`, flags)
    const taken = ASCII.map((character) => Number(single.test(character)))
    return BigInt(`0b${Number(wide.test(source))}${taken.join('')}`)
  })
}
