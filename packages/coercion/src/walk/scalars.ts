import type { PlanNode } from '../plan/model.ts'
import { INTEGER, FRACTION, STRING } from '../plan/types.ts'
import { accepts, type Walk, NOTHING, takeReading } from './walk.ts'

/** A safe integer or a boolean where text is wanted has one spelling; a fraction (1.10 or 1.1) has not. */
export function readScalar(walk: Walk, node: PlanNode, value: unknown): unknown {
  if ((node.mask & STRING) === 0) return NOTHING
  const spelled =
    typeof value === 'boolean' ||
    typeof value === 'bigint' ||
    (Number.isSafeInteger(value) && !Object.is(value, -0))
  const text = spelled ? String(value) : undefined
  if (text === undefined || !accepts(walk, node, text)) return NOTHING
  return takeReading(walk, node, value, { value: text, rule: 'to-text' })
}

const numberPattern = /^[+-]?(?:(0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/
/** Longer texts are no numbers that anybody means. */
const NUMBER_LENGTH = 400

/**
 * The number that a trimmed text spells, if nothing is lost: ASCII digits, no superfluous zero, whole numbers
 * within the safe range (beyond it only with an exponent, for a field that takes fractions). Never -0.
 */
export function numberOf(text: string, mask: number): number | undefined {
  const short = text.length <= NUMBER_LENGTH ? numberPattern.exec(text) : null
  if (short === null) return undefined
  const value = Number(text)
  const exponent = short[3] !== undefined
  if (!Number.isFinite(value) || (value === 0 && /[1-9]/.test(text.replace(/e.*$/i, ''))))
    return undefined
  if (!Number.isInteger(value)) return (mask & FRACTION) === 0 ? undefined : value
  if ((mask & (INTEGER | FRACTION)) === 0) return undefined
  const kept = Number.isSafeInteger(value) || (exponent && (mask & FRACTION) !== 0)
  return kept ? value + 0 : undefined
}
