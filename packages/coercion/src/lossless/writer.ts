import { giveUp } from '../json.ts'
import { DEPTH_LIMIT } from '../text/fault.ts'
import { floatText, LosslessNumber } from './number.ts'
import { escapeCharacter } from './reader.ts'

/**
 * Writes JSON as Python's `json.dumps(value, ensure_ascii=False)` does: `, ` and `: ` between parts, non-ASCII,
 * DEL, U+2028 and lone surrogates raw, control characters escaped, `/` as it is (dispatch section 2.3).
 *
 * Takes a tree of `parseLossless` or plain JavaScript values, also mixed; a property that is undefined is left out,
 * as JSON.stringify does. Gives undefined where there is no JSON for the value: NaN, an infinity, a function, a
 * symbol, nesting deeper than `depth` (default 200, which ends cycles too). Never throws.
 */
export function stringifyLossless(
  value: unknown,
  options: { readonly depth?: number } = {},
): string | undefined {
  try {
    return write(value, options.depth ?? DEPTH_LIMIT)
  } catch {
    return undefined
  }
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return writeText(value)
  if (typeof value === 'number') return writeNumber(value)
  if (value instanceof LosslessNumber) return value.text
  if (typeof value === 'object' && value) return writeNested(value, depth - 1)
  return typeof value === 'boolean' || typeof value === 'bigint' || value === null
    ? String(value)
    : giveUp()
}

/** A plain whole number has no point: it stands for the integer that JSON.parse read. */
function writeNumber(value: number): string {
  const digits = Number.isInteger(value) && Math.abs(value) < 1e21 && !Object.is(value, -0)
  return digits ? String(value) : floatText(value)
}

function writeNested(value: object, depth: number): string {
  if (depth < 0) giveUp()
  if (Array.isArray(value)) {
    const parts = Array.from(value, (entry: unknown) => write(entry ?? null, depth))
    return `[${parts.join(', ')}]`
  }
  const entries: Iterable<[string, unknown]> = value instanceof Map ? value : Object.entries(value)
  const parts = [...entries].flatMap(([key, entry]) =>
    entry === undefined ? [] : `${writeText(key)}: ${write(entry, depth)}`,
  )
  return `{${parts.join(', ')}}`
}

// JSON.stringify of the whole text would escape lone surrogates.
function writeText(text: string): string {
  return `"${text.replace(/["\\\u0000-\u001f]/g, escapeCharacter)}"`
}
