/**
 * What JSON.parse gives, where that loses nothing, has no key `__proto__` and is nested at most `depth` levels;
 * undefined for text that has to be read with care.
 */
export function parseStrict(text: string, depth: number): unknown {
  // Sixteen digits in a row may be an integer that a double rounds.
  if (hasLongNumber(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // Each level costs at least an opener and a closer, and only escapes can hide a name.
    const plain = text.length <= 2 * depth && !text.includes('\\')
    return (plain ? text.includes('__proto__') : !isTame(value, depth)) ? undefined : value
  } catch {
    return undefined
  }
}

const DIGITS = 16

/**
 * Every run of sixteen digits covers one of every sixteen places, and one of the two that are seven places from
 * there, so few have to be looked at.
 */
function hasLongNumber(text: string): boolean {
  for (let place = DIGITS - 1; place < text.length; place += DIGITS) {
    if (!isDigit(text, place) || !(isDigit(text, place - 7) || isDigit(text, place + 7))) continue
    if (/\d{16}/.test(text.slice(place - DIGITS + 1, place + DIGITS))) return true
  }
  return false
}

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place)
  return code >= 48 && code <= 57
}

/** Whether lists and objects are nested at most `depth` levels, without a key `__proto__`. */
function isTame(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth <= 0) return false
  if (Array.isArray(value)) return value.every((entry) => isTame(entry, depth - 1))
  for (const key in value) {
    if (key === '__proto__') return false
    const entry = (value as Record<string, unknown>)[key]
    if (typeof entry === 'object' && !isTame(entry, depth - 1)) return false
  }
  return true
}
