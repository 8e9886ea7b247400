/** Which property names a provider takes. */
export interface NameRule {
  /** A legal name of any length from 1 on. */
  readonly legal: RegExp
  /** One character that must be replaced, with the flags `gu` so that one emoji is one character. */
  readonly illegal: RegExp
  /** Longest name, in code points. */
  readonly length: number
  /** A name may begin with a digit, a point or a dash. */
  readonly anyStart: boolean
}
