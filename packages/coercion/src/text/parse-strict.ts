/** From here on every double is an integer, and may be another than the one that was written. */
const WHOLE = 2 ** 53

/**
 * What JSON.parse gives, where that loses nothing, has no key `__proto__` and is nested at most `depth` levels;
 * undefined for text that has to be read with care.
 */
export function parseStrict(text: string, depth: number): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isTame(value, depth) ? value : undefined
  } catch {
    return undefined
  }
}

/** Said of the value: the text would have to be searched for digits, exponents and escaped names. */
function isTame(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) < WHOLE
  return typeof value !== 'object' || value === null || areTame(value, depth - 1)
}

function areTame(parts: object, depth: number): boolean {
  if (depth < 0) return false
  if (Array.isArray(parts)) {
    for (const entry of parts as unknown[]) {
      if (typeof entry !== 'string' && !isTame(entry, depth)) return false
    }
    return true
  }
  for (const key in parts) {
    if (key === '__proto__') return false
    const part = (parts as Record<string, unknown>)[key]
    // A call for each of the commonest values would cost more than all else here.
    if (typeof part === 'string' || typeof part === 'boolean') continue
    if (typeof part === 'number' ? Math.abs(part) >= WHOLE : !isTame(part, depth)) return false
  }
  return true
}
