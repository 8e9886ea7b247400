import type { FieldFault } from './result.ts'

/** A fault of data in words. */
export interface DescribedFault {
  /** Half a sentence, with its full stop. */
  readonly message: string
  /** A whole sentence; undefined where nothing is known that would fit. */
  readonly hint: string | undefined
}

/**
 * Says what is wrong with data that a person wrote, such as the options of an adapter or the backend block of a tool,
 * and what to write instead, always in the same words.
 *
 * Takes a fault as the `validator` of the host gives it, and what stands at its path, such as `backend/auth`.
 */
export function describeFault(fault: FieldFault, place: string): DescribedFault {
  const { constraint, got, expected, suggestion } = fault
  if (constraint === 'required') {
    const hint = suggestion === undefined ? undefined : `Give "${suggestion}".`
    return { message: `${expected} is missing in ${place}.`, hint }
  }
  const hint = suggestion === undefined ? undefined : `Did you mean "${suggestion}"?`
  if (/^(?:additional|unevaluated)Properties$/.test(constraint)) {
    return { message: `there is ${got} in ${place}; expected ${expected}.`, hint }
  }
  return { message: `${place} is ${got}; expected ${limitOf(fault)}.`, hint }
}

const units: { readonly [of: string]: string } = {
  Length: ' character',
  Items: ' item',
  Properties: ' field',
}

/** A limit comes as its keyword and number; anything else is told as it comes. */
function limitOf({ constraint, expected }: FieldFault): string {
  const [, bound, of = ''] = /^(min|max)(imum|Length|Items|Properties)$/.exec(constraint) ?? []
  if (bound === undefined || !expected.startsWith(`${constraint} `)) return expected
  const number = expected.slice(constraint.length + 1)
  const unit = units[of] ?? ''
  const plural = unit === '' || number === '1' ? '' : 's'
  return `at ${bound === 'min' ? 'least' : 'most'} ${number}${unit}${plural}`
}
