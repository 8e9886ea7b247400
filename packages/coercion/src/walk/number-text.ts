import { PLAIN_DIGITS } from '../limits.ts'
import { FRACTION } from '../plan/types.ts'

const numberPattern = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * The number that a trimmed text spells, if nothing is lost: ASCII digits, no superfluous zero, whole numbers
 * within the safe range (beyond it only with an exponent, for a field that takes fractions). Never -0.
 */
export function numberOf(text: string, mask: number): number | undefined {
  const plain = plainNumber(text)
  if (plain === undefined && !numberPattern.test(text)) return undefined
  const value = plain ?? Number(text)
  if (value === 0) return /^[^e]*[1-9]/i.test(text) ? undefined : 0
  if (Number.isSafeInteger(value)) return value
  if ((mask & FRACTION) === 0 || !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !/e/i.test(text) ? undefined : value
}

/** What most number texts are, `42` and `3.25`, read without a regular expression. */
export function plainNumber(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length > PLAIN_DIGITS || hasSpareZero(text)) return undefined
  let digits = 0
  let scale = 0
  for (let place = 0; place < length; place++) {
    const digit = text.charCodeAt(place) - 48
    if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit
      scale *= 10
    } else if (digit === -2 && scale === 0 && place > 0) scale = 1
    else return undefined
  }
  return scale === 0 ? digits : digits / scale
}

/** Zero first is only plain before a point. */
function hasSpareZero(text: string): boolean {
  return text.length > 1 && text.charCodeAt(0) === 48 && text.charCodeAt(1) !== 46
}
