import { isDeepStrictEqual } from 'node:util'

/** A line for each difference of two values, or none. */
export function differ(what: string, got: unknown, expected: unknown): readonly string[] {
  if (isDeepStrictEqual(got, expected)) return []
  return [`${what}: got ${show(got)}, expected ${show(expected)}`]
}

/** The same where something is expected: a vector leaves out what it says nothing about. */
export function differIfSaid(what: string, got: unknown, expected: unknown): readonly string[] {
  return expected === undefined ? [] : differ(what, got, expected)
}

export function show(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)) ??
    'undefined'
  )
}

/** A line when the text lacks one of the parts. */
export function includesAll(
  what: string,
  text: string,
  parts: readonly string[],
): readonly string[] {
  return parts
    .filter((part) => !text.includes(part))
    .map((part) => `${what}: ${show(text)} does not include ${show(part)}`)
}

/** Freezes a value and all in it, so that a mutation throws. */
export function freezeAll<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) freezeAll(part)
  }
  return value
}
