/**
 * A JSON number as it was written: integers keep every digit, fractions are in shortest form.
 *
 * `text` is canonical: an integer has digits only (`-0` becomes `0`), anything with a fraction or an exponent is
 * written as Python's `json` writes a float (`1e5` becomes `100000.0`, `-0.0` stays).
 */
export class LosslessNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The canonical text of a JSON number; undefined for other text, and where the double overflows (`1E400`). */
export function canonicalNumber(text: string): string | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return undefined
  if (/^-?\d+$/.test(text)) return text === '-0' ? '0' : text
  return Number.isFinite(Number(text)) ? floatText(Number(text)) : undefined
}

/**
 * A finite double in the shortest form that reads back equal, as Python's `repr` writes it: a point always,
 * an exponent below 1e-4 and from 1e16 on, with a sign and at least two digits.
 */
export function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size >= 1e16 || (size < 1e-4 && size > 0)) {
    return value.toExponential().replace(/(\D)(\d)$/, '$10$2')
  }
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}
