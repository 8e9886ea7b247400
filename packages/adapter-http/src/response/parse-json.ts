type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/**
 * JSON.parse, but integers that a double cannot hold come as text, digit by digit: an id that lost its last digits
 * is another id.
 *
 * @throws SyntaxError as JSON.parse does.
 */
export function parseJson(text: string): unknown {
  // Few answers hold such a number, and a reviver is slow.
  return /\d{16}/.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)
}

const keepDigits: Reviver = (_key, value, context) => {
  const source = context?.source ?? ''
  const large = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
  return large ? source : value
}
