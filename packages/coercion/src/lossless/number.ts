const brand = Symbol.for('callgate.lossless-number.v1')

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
    Object.defineProperty(this, brand, { value: true })
  }

  /** By brand, so that a copy of this package in another node_modules still counts. */
  static isInstance(value: unknown): value is LosslessNumber {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** The canonical text of a JSON number literal, or undefined where the double overflows (`1E400`). */
export function canonicalNumber(lexeme: string): string | undefined {
  if (/^-?\d+$/.test(lexeme)) return lexeme === '-0' ? '0' : lexeme
  const value = Number(lexeme)
  return Number.isFinite(value) ? floatText(value) : undefined
}

/**
 * A finite double in the shortest form that reads back equal, as Python's `repr` writes it: a point always,
 * an exponent below 1e-4 and from 1e16 on, with a sign and at least two digits.
 */
export function floatText(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  // toExponential() without an argument gives the shortest digits that read back equal.
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${sign}${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${size}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}
