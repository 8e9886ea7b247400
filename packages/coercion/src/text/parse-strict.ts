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
  if (typeof value !== 'object' || !value) return true
  if (depth < 1) return false
  if (Array.isArray(value)) return value.every((entry) => isTame(entry, depth - 1))
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key]
    // A call for each of the commonest values would cost more than all else here.
    if (key === '__proto__' || (typeof part !== 'string' && !isTame(part, depth - 1))) return false
  }
  return true
}
