/** Where the classes that have a name begin and end, beside ASCII. */
const landmarks = [
  0xa0, 0xe9, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0x4e2d, 0xfeff,
  0x1f600,
]

/**
 * For each class the characters it takes, as bits over a set of samples that has a member in every interval in
 * which the classes differ: ASCII, the ends of all ranges, their neighbours, and the landmarks. Two classes overlap
 * exactly if they share a bit. A class with a Unicode property counts as taking everything.
 */
export function classBits(sources: readonly string[], flags: string): bigint[] {
  const points = new Set<number>(landmarks)
  for (let point = 0; point < 128; point++) points.add(point)
  for (const source of new Set(sources)) {
    for (const point of mentioned(source)) {
      for (const near of [point - 1, point, point + 1]) {
        if (near >= 0 && near <= 0x10ffff) points.add(near)
      }
    }
  }
  const samples = [...points].map((point) => String.fromCodePoint(point))
  const everything = (1n << BigInt(samples.length)) - 1n
  const known = new Map<string, bigint>()
  return sources.map((source) => {
    let bits = known.get(source)
    if (bits === undefined) {
      bits = /\\[pP]\{/.test(source) ? everything : bitsOf(source, flags, samples)
      known.set(source, bits)
    }
    return bits
  })
}

function bitsOf(source: string, flags: string, samples: readonly string[]): bigint {
  const single = new RegExp(`^(?:${source})$`, flags)
  let text = '0b'
  for (const sample of samples) text += single.test(sample) ? '1' : '0'
  return BigInt(text)
}

function mentioned(source: string): number[] {
  const points: number[] = []
  for (const match of source.matchAll(
    /\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})/g,
  )) {
    points.push(Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '0', 16))
  }
  for (const character of source) points.push(character.codePointAt(0) ?? 0)
  return points
}
