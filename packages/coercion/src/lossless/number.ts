import { giveUp } from '../json.ts'

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

/** The canonical text of a JSON number. Gives up where the double overflows (`1E400`). */
export function canonicalNumber(text: string): string {
  if (!isInteger(text)) return floatText(Number(text))
  return text === '-0' ? '0' : text
}

/** Whether the text of a number has neither a fraction nor an exponent. */
export function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text)
}

/**
 * A double in the shortest form that reads back equal, as Python's `repr` writes it: a point always, an exponent below
 * 1e-4 and from 1e16 on, with a sign and at least two digits. Gives up where it is not finite.
 */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) giveUp()
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size >= 1e16 || (size < 1e-4 && size > 0)) {
    return value.toExponential().replace(/(\D)(\d)$/, '$10$2')
  }
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}
