type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** An integer above 2^53 has as many digits at least. */
const digits = 16

/** The end of a number that may be too large for a double. Strings seldom hold one, so that few answers are read slowly in vain. */
const largeExponent = /\d[eE]\+?\d{3,}(?![^\s,\]}])/

/**
 * JSON.parse, but integers that a double cannot hold come as text, digit by digit: an id that lost its last digits
 * is another id. So do numbers that are too large for a double, which would be infinite.
 *
 * @throws SyntaxError as JSON.parse does.
 */
export function parseJson(text: string): unknown {
  // Few answers hold such a number, and a reviver is slow.
  const isLossy = holdsLongNumber(text) || largeExponent.test(text)
  return isLossy ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)
}

/** A run of so many digits covers one of every so many places, so only those are looked at. */
function holdsLongNumber(text: string): boolean {
  for (let place = digits - 1; place < text.length; place += digits) {
    if (!isDigit(text, place)) continue
    let start = place
    while (isDigit(text, start - 1)) start -= 1
    let end = place
    while (isDigit(text, end + 1)) end += 1
    if (end - start + 1 >= digits) return true
  }
  return false
}

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place)
  return code >= 0x30 && code <= 0x39
}

const keepDigits: Reviver = (_key, value, context) => {
  const source = context?.source ?? ''
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return !Number.isFinite(value) || /^-?\d+$/.test(source) ? source : value
}
