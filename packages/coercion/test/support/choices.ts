import fc from 'fast-check'

import type { Choose } from './encode.ts'

export function chooser(seed: readonly boolean[]): Choose {
  let at = 0
  return () => seed[at++ % seed.length] ?? false
}

export const seeds = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })

/** The value with one of its fields replaced. */
export function replaceOne(value: unknown, junk: unknown, place: number): unknown {
  if (typeof value !== 'object' || value === null) return junk
  const names = Object.keys(value)
  const name = names[place % Math.max(1, names.length)]
  return name === undefined ? value : { ...value, [name]: junk }
}
