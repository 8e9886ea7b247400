import { DEPTH_LIMIT } from './fault.ts'

/** From here on every double is an integer, and may be another than the one that was written. */
export const WHOLE: number = 2 ** 53

/** What JSON.parse gives; undefined for other text. */
export function parseStrict(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Whether JSON.parse lost nothing, met no key `__proto__` and went at most `depth` levels deep; else the text has to be
 * read with care. Said of the value: the text would have to be searched for digits, exponents and escaped names.
 */
export function isTame(value: unknown, depth: number = DEPTH_LIMIT): boolean {
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
