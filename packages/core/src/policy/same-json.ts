/** Whether two JSON values are equal, whatever the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  // Most values differ in their first part: lists of all keys would be made in vain.
  let keys = 0
  for (const key in a) {
    if (!Object.hasOwn(b, key)) return false
    if (!sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) {
      return false
    }
    keys++
  }
  for (const _ in b) keys--
  return keys === 0
}

/**
 * A number that equal JSON values share, whatever the order of keys, and most others do not. Looks at the outermost
 * level: to be compared before the values are.
 */
export function sketchOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return sketchOfPart(value)
  let sum = 0
  for (const key in value) {
    const part = sketchOfPart((value as Record<string, unknown>)[key])
    sum = (sum + Math.imul(key.length + 7, part)) | 0
  }
  return sum
}

function sketchOfPart(part: unknown): number {
  if (typeof part === 'string') {
    const { length } = part
    return (
      Math.imul(length, 31) +
      (part.charCodeAt(length >> 1) | 0) * 7 +
      (part.charCodeAt(length - 1) | 0)
    )
  }
  return typeof part === 'number' ? part | 0 : part === true ? 1 : 2
}
