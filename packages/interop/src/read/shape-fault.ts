import { CallgateError } from '@callgate/spec'

import { isObject } from '../provider.ts'

const places = {
  message: 'The message',
  turn: 'The turn',
  results: 'The list of results',
}

/**
 * A message, a turn or results that have not the shape they should have: code `malformed_call`, rule `message-shape`,
 * `turn-shape` or `results-shape`. `where` is a JSON pointer into what was handed over; the text names what was found
 * and what fits.
 */
export function shapeFault(
  where: string,
  found: unknown,
  fits: string,
  hint: string,
  what: keyof typeof places = 'message',
): CallgateError {
  const place = where === '' ? places[what] : `${places[what]} at ${where}`
  return new CallgateError({
    code: 'malformed_call',
    rule: `${what}-shape`,
    where,
    message: `${place} is ${describe(found)}; expected ${fits}.`,
    hint,
  })
}

const shownKeys = 8

/** What a value is, in a word or two. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (!isObject(value)) return typeof value === 'string' ? 'text' : `a ${typeof value}`
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an object without keys'
  const shown = keys.slice(0, shownKeys).map((key) => JSON.stringify(key.slice(0, 40)))
  const rest = keys.length - shown.length
  return `an object with ${shown.join(', ')}${rest > 0 ? ` and ${rest} more keys` : ''}`
}
