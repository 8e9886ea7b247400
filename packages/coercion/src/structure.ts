/** Parts of a schema that are looked at; what is larger is told apart by its beginning and compared in full. */
const PARTS = 300_000

/** A hash of a JSON structure; equal structures, keys in the same order, have equal hashes. Bounded. */
export function structureHash(value: unknown): string {
  // Two 32-bit FNV-1a hashes with different starts: collisions only cost a comparison.
  let a = 0x811c9dc5
  let b = 0x01000193
  let parts = 0
  const add = (text: string): void => {
    for (let index = 0; index < text.length; index++) {
      a = Math.imul(a ^ text.charCodeAt(index), 0x01000193)
      b = Math.imul(b ^ text.charCodeAt(index), 0x01000197)
    }
  }
  const visit = (part: unknown, depth: number): void => {
    if (++parts > PARTS || depth > 300) return
    if (typeof part !== 'object' || part === null) return add(`${typeof part}${String(part)};`)
    const list = Array.isArray(part)
    add(list ? '[' : '{')
    for (const [key, entry] of Object.entries(part)) {
      if (!list) add(`${key}:`)
      visit(entry, depth + 1)
    }
    add(';')
  }
  visit(value, 0)
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`
}

/** Whether two JSON structures are equal, order of keys included, since names are shown in that order. */
export function isEqualStructure(a: unknown, b: unknown, depth = 300): boolean {
  if (a === b) return true
  if (depth === 0 || typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [own, other] = [Object.keys(a), Object.keys(b)]
  return (
    own.length === other.length &&
    own.every(
      (key, index) =>
        key === other[index] &&
        isEqualStructure(
          (a as Record<string, unknown>)[key],
          (b as Record<string, unknown>)[key],
          depth - 1,
        ),
    )
  )
}
