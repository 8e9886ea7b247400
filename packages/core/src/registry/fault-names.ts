import { errorCodes } from '@callgate/spec'

import type { Check } from '../checks/check.ts'
import { listOf, oneOf } from '../checks/shapes.ts'

/** The articles' own words for faults that can be tried again (R5.3). */
const faultNames: { readonly [name: string]: string } = { connection_lost: 'backend_unavailable' }

const codes = Object.keys(errorCodes)
const code = oneOf(...codes)

/** The code that a declared name of a fault stands for: a code in any case, or a word of the articles. */
export function codeNamed(name: string): string {
  const lower = name.toLowerCase()
  return Object.hasOwn(faultNames, lower) ? faultNames[lower]! : lower
}

/** A list of error codes: one that is misspelt would never be met. */
export const codeList: Check = listOf(code, 'a list of error codes')

/** The same with the words of the articles. */
export const faultList: Check = listOf(
  (name) => code(typeof name === 'string' ? codeNamed(name) : name),
  'a list of error codes',
)
