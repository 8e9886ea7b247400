/**
 * What JSON.parse gives, where that loses nothing and is nested at most `depth` levels; undefined for text that has to
 * be read with care.
 */
export function parseStrict(text: string, depth: number): unknown {
  if (losesParts(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // Each level costs at least an opener and a closer.
    return text.length <= 2 * depth || !deeperThan(value, depth) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether JSON.parse would lose something: sixteen digits in a row may be an integer that a double rounds, and
 * `__proto__` (also when it is written with escapes) is a key that has to go.
 */
function losesParts(text: string): boolean {
  return (
    hasLongNumber(text) ||
    text.includes('__proto__') ||
    (text.includes('\\') && /\\u00[567]/.test(text))
  )
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

/** Whether lists and objects are nested more than `limit` levels; looks no deeper than that. */
function deeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit <= 0) return true
  if (Array.isArray(value)) return value.some((entry) => deeperThan(entry, limit - 1))
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    if (typeof entry === 'object' && deeperThan(entry, limit - 1)) return true
  }
  return false
}
