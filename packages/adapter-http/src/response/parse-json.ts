type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** An integer above 2^53 has as many digits at least. */
const digits = 16

/**
 * JSON.parse, but integers that a double cannot hold come as text, digit by digit: an id that lost its last digits
 * is another id.
 *
 * @throws SyntaxError as JSON.parse does.
 */
export function parseJson(text: string): unknown {
  // Few answers hold such a number, and a reviver is slow.
  return holdsLongNumber(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)
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
  const large = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
  return large ? source : value
}
