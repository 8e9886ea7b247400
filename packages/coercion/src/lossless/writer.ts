import { DEPTH_LIMIT } from '../text/fault.ts'
import { floatText, LosslessNumber } from './number.ts'

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
  return write(value, options.depth ?? DEPTH_LIMIT)
}

function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return writeText(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return writeNumber(value)
    case 'object':
      if (value === null) return 'null'
      if (LosslessNumber.isInstance(value)) return value.text
      return depth > 0 ? writeNested(value, depth - 1) : undefined
    default:
      return undefined
  }
}

/** A plain whole number has no point: it stands for the integer that JSON.parse read. */
function writeNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  const digits = Number.isInteger(value) && Math.abs(value) < 1e21 && !Object.is(value, -0)
  return digits ? String(value) : floatText(value)
}

function writeNested(value: object, depth: number): string | undefined {
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) {
      const text = entry === undefined ? 'null' : write(entry, depth)
      if (text === undefined) return undefined
      parts.push(text)
    }
    return `[${parts.join(', ')}]`
  }
  const entries = value instanceof Map ? value : Object.entries(value)
  for (const [key, entry] of entries as Iterable<[string, unknown]>) {
    if (entry === undefined) continue
    const text = write(entry, depth)
    if (text === undefined) return undefined
    parts.push(`${writeText(key)}: ${text}`)
  }
  return `{${parts.join(', ')}}`
}

const shortEscapes: { readonly [character: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

// JSON.stringify escapes lone surrogates, so it cannot be used here.
function writeText(text: string): string {
  const escaped = text.replace(
    /["\\\u0000-\u001f]/g,
    (character) =>
      shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${escaped}"`
}
