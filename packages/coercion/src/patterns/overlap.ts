/** Where the classes that have a name begin and end, beside ASCII. */
const landmarks =
  '\u00a0\u00e9\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\u4e2d\ufeff\u{1f600}'

/**
 * For each class the characters it takes, as bits over a set of samples that has a member in every interval in
 * which the classes differ: ASCII, the ends of all ranges, their neighbours, and the landmarks. Two classes overlap
 * exactly if they share a bit. A class with a Unicode property counts as taking everything.
 */
export function classBits(sources: readonly string[], flags: string): bigint[] {
  const points = new Set(Array.from({ length: 128 }, (_, point) => point))
  for (const text of [landmarks, ...sources]) {
    for (const point of mentioned(text)) {
      for (const near of [point - 1, point, point + 1]) {
        if (near >= 0 && near <= 0x10ffff) points.add(near)
      }
    }
  }
  const samples = [...points].map((point) => String.fromCodePoint(point))
  const known = new Map<string, bigint>()
  return sources.map((source) => {
    let bits = known.get(source)
    if (bits === undefined) {
      const single = /\\p/i.test(source) ? /^/ : new RegExp(`^(?:${source})$`, flags)
      bits = BigInt(`0b${samples.map((sample) => Number(single.test(sample))).join('')}`)
      known.set(source, bits)
    }
    return bits
  })
}

/** The characters of a class, and those its escapes stand for. */
function mentioned(source: string): number[] {
  const escaped = [...source.matchAll(/\\(?:u\{?|x)([0-9a-f]+)/gi)]
  return [
    ...escaped.map((match) => Number.parseInt(match[1] ?? '', 16)),
    ...Array.from(source, (character) => character.codePointAt(0) ?? 0),
  ]
}
