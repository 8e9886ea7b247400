import { BIGINT_DIGITS } from '../limits.ts'
import { isInteger, LosslessNumber } from './number.ts'
import type { LosslessValue } from './value.ts'

/** How integers that a double cannot hold come out: as text of digits (default) or as bigint. */
export interface PlainOptions {
  readonly bigints?: 'text' | 'bigint'
  /** Leaves out keys named `__proto__`; by default they stay as own data. */
  readonly dropProto?: boolean
}

/**
 * Turns a tree of `parseLossless` into plain values that equal those of JSON.parse, but for integers outside the
 * safe range: those are text of digits, or bigint on demand, since a double would change them.
 */
export function toPlainJson(value: LosslessValue, options: PlainOptions = {}): unknown {
  if (value instanceof LosslessNumber) return plainNumber(value.text, options)
  if (Array.isArray(value)) return value.map((entry) => toPlainJson(entry, options))
  if (!(value instanceof Map)) return value
  const entries = [...value].map(([key, entry]) => [key, toPlainJson(entry, options)] as const)
  // Assigned, `__proto__` would swap the prototype; here it is data.
  return Object.fromEntries(
    options.dropProto ? entries.filter(([key]) => key !== '__proto__') : entries,
  )
}

function plainNumber(text: string, options: PlainOptions): number | string | bigint {
  const value = Number(text)
  if (Number.isSafeInteger(value) || !isInteger(text)) return value
  return options.bigints === 'bigint' && text.length <= BIGINT_DIGITS ? BigInt(text) : text
}
