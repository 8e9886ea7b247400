import { isRecord } from './is-record.ts'

/** What fits an option, in words, and whether a value does. A number that does not is out of range where numbers can fit. */
export interface Fits {
  readonly fits: string
  readonly test: (value: unknown) => boolean
  readonly number?: true
}

/** Every option there is. */
export type Known<T> = { readonly [K in keyof Required<T>]: Fits }

/** The longest that a timer of Node and of browsers can wait; a longer one would fire at once. */
const longest = 2 ** 31 - 1

export const aText: Fits = {
  fits: 'text that is not empty',
  test: (value) => typeof value === 'string' && value !== '',
}
export const aFlag: Fits = { fits: 'true or false', test: (value) => typeof value === 'boolean' }
export const aFunction: Fits = {
  fits: 'a function',
  test: (value) => typeof value === 'function',
}
export const aBound: Fits = {
  fits: `0 (no bound) to ${longest} milliseconds`,
  test: (value) => typeof value === 'number' && value >= 0 && value <= longest,
  number: true,
}
export const oneOf = (words: readonly string[]): Fits => ({
  fits: words.join(', '),
  test: (value) => words.includes(value as string),
})

/**
 * Looks at options that no compiler has seen. One that is misspelt would be as good as none: a guard of nothing, an
 * audit that blocks. Left out, or undefined, is what its default stands for; null is a value.
 *
 * @throws TypeError, for a number out of range RangeError, naming the option, what came and what fits.
 */
export function checkOptions<T>(
  place: string,
  options: unknown,
  known: Known<T>,
): asserts options is T {
  if (!isRecord(options)) throw unfit(place, 'the options are', options, { fits: 'an object' })
  const names = Object.keys(known)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name)) {
      throw new TypeError(`${place}: there is no option "${name}"; expected ${names.join(', ')}.`)
    }
    const option = known[name as keyof T]
    if (value !== undefined && !option.test(value)) throw unfit(place, `${name} is`, value, option)
  }
}

/** The error for a value that does not fit. */
export function unfit(
  place: string,
  subject: string,
  value: unknown,
  { fits, number }: Omit<Fits, 'test'>,
): TypeError | RangeError {
  const Type = number === true && typeof value === 'number' ? RangeError : TypeError
  return new Type(`${place}: ${subject} ${shown(value)}; expected ${fits}.`)
}

/** A value in a message: short, and whatever it is. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
