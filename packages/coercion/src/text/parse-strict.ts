/** A shorter text holds so few values that a look at them costs less than a look at the text. */
const SHORT = 80

/** Sixteen digits in a row may be an integer that a double rounds. Written out, V8 skips what cannot be part of a match. */
const suspect = new RegExp(`__proto__|${'\\d'.repeat(16)}`)

/**
 * What JSON.parse gives, where that loses nothing, has no key `__proto__` and is nested at most `depth` levels;
 * undefined for text that has to be read with care.
 */
export function parseStrict(text: string, depth: number): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // Each level costs at least an opener and a closer, and only escapes can hide a name.
    const short = text.length > SHORT && text.length <= 2 * depth
    const plain = short && !text.includes('\\') && !suspect.test(text)
    return plain || isTame(value, depth) ? value : undefined
  } catch {
    return undefined
  }
}

/** The same said of the value: this is exact. */
function isTame(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth <= 0) return false
  if (Array.isArray(value)) return areTame(value, depth - 1)
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    if (key === '__proto__' || (typeof entry !== 'string' && !isTame(entry, depth - 1)))
      return false
  }
  return true
}

function areTame(list: readonly unknown[], depth: number): boolean {
  for (const entry of list) if (typeof entry !== 'string' && !isTame(entry, depth)) return false
  return true
}
