/** A shorter text holds so few values that a look at them costs less than a look at the text. */
const SHORT = 80

/**
 * What JSON.parse gives, where that loses nothing, has no key `__proto__` and is nested at most `depth` levels;
 * undefined for text that has to be read with care.
 */
export function parseStrict(text: string, depth: number): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // Each level costs at least an opener and a closer.
    const plain = text.length > SHORT && text.length <= 2 * depth && isPlain(text)
    return plain || isTame(value, depth) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a text surely holds neither sixteen digits in a row, which may be an integer that a double rounds, nor a key
 * `__proto__`, which only escapes can hide. Every run of sixteen digits covers one of every sixteen places, and one of
 * the two that are seven places from there, so few have to be looked at.
 */
function isPlain(text: string): boolean {
  for (let place = 15; place < text.length; place += 16) {
    if (!isDigit(text.charCodeAt(place))) continue
    if (isDigit(text.charCodeAt(place - 7)) || isDigit(text.charCodeAt(place + 7))) return false
  }
  return !text.includes('\\') && !text.includes('__proto__')
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** The same for the value, which is the slower look and the exact one. */
function isTame(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return true
  if (depth <= 0) return false
  if (Array.isArray(value)) {
    for (const entry of value)
      if (typeof entry !== 'string' && !isTame(entry, depth - 1)) return false
    return true
  }
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    if (key === '__proto__' || (typeof entry !== 'string' && !isTame(entry, depth - 1)))
      return false
  }
  return true
}
