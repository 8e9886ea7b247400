import { isRecord } from '../registry/read-data.ts'

/** Why a value does not fit: where in it (keys from the outside in), what stands there and what would fit. */
export interface Misfit {
  readonly path: readonly (string | number)[]
  readonly got: string
  readonly fits: string
  /** A sentence that says what to write instead, where that can be told. */
  readonly hint?: string
}

/** Looks at one value, given from outside and so of any type. Nothing is thrown and nothing is changed. */
export type Check = (value: unknown) => Misfit | undefined

/** What stands there, short; a text only where it cannot be a secret. */
export function shown(value: unknown, withText: boolean): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return withText ? JSON.stringify(value).slice(0, 80) : 'text'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value as number | boolean | null)
}

/** A check of one value by itself. */
export function leaf(fits: string, test: (value: unknown) => boolean, withText = true): Check {
  return (value) =>
    test(value)
      ? undefined
      : { path: [], got: shown(value, withText), fits, ...quotes(value, test) }
}

/** The usual slip in YAML and JSON: quotes around a number or a flag, or none around a text. */
function quotes(value: unknown, test: (value: unknown) => boolean): { readonly hint?: string } {
  if (typeof value === 'string' && value !== '') {
    const meant = value === 'true' ? true : value === 'false' ? false : Number(value)
    return test(meant) ? { hint: `Write ${value} without quotes.` } : {}
  }
  const plain = typeof value === 'number' || typeof value === 'boolean'
  return plain && test(String(value)) ? { hint: `Write ${String(value)} in quotes.` } : {}
}

export const flag: Check = leaf('true or false', (value) => typeof value === 'boolean')
export const text: Check = leaf('text', (value) => typeof value === 'string')
export const object: Check = leaf('an object', isRecord)
export const anything: Check = () => undefined
export const callable: Check = leaf('a function', (value) => typeof value === 'function', false)
export const positive: Check = leaf(
  'a number over 0',
  (value) => typeof value === 'number' && value > 0,
)
/** A whole number of at least one; more than any number is no limit. */
export const count: Check = leaf(
  'a whole number of at least 1',
  (value) => Number.isInteger(value) && (value as number) >= 1,
)
export const countFromZero: Check = leaf(
  'a whole number of at least 0',
  (value) => Number.isInteger(value) && (value as number) >= 0,
)

/** A timer that is set for longer than 2^31 - 1 ms fires at once. */
const longestTimer = 2_147_483_647

/** Milliseconds of a timer. */
export const duration: Check = leaf(
  `milliseconds: a number over 0, at most ${longestTimer}`,
  (value) => typeof value === 'number' && value > 0 && value <= longestTimer,
)
