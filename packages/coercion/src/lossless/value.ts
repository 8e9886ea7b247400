import type { LosslessNumber } from './number.ts'

/**
 * A JSON value in which nothing is lost: an object is a `Map` in the order of the text (integer-like keys and
 * `__proto__` are keys like any other), a number is a `LosslessNumber`, the rest is what JSON.parse gives.
 */
export type LosslessValue =
  | null
  | boolean
  | string
  | LosslessNumber
  | LosslessValue[]
  | Map<string, LosslessValue>
