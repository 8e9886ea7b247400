import { isFields, NONE } from '../json.ts'
import { LAYERS } from '../limits.ts'
import type { ParsedArguments, ParseOptions } from '../types.ts'
import { SIZE_LIMIT, type TextFault } from './fault.ts'
import { isTame, parseStrict } from './parse-strict.ts'
import { readJsonText } from './read-json-text.ts'

/**
 * Reads the raw arguments text of a tool call (R3.3; coercion policy rule 7).
 *
 * Strict JSON first; then, reported as repairs, a code fence, trailing commas, single quotes, Python words, raw
 * control characters inside text, and JSON that was encoded twice. Blank text, `null` and `None` are no arguments:
 * `{}`. Cut-off text is refused as `truncated`, never completed; a list or a scalar is `not_object`.
 * Integers that a double would change become text of digits, or bigint with `bigints: 'bigint'`, which a coercer
 * compares with the numbers of a schema as the nearest double. Keys named `__proto__` are dropped. Text of more than
 * 16 Mi UTF-16 units is `too_large`, and of more than 200 levels `too_deep`. Linear time; never throws.
 */
export function parseArguments(text: string, options?: ParseOptions): ParsedArguments {
  const fields = strictFields(text)
  if (fields && isTame(fields)) return { ok: true, value: fields, repairs: NONE }
  return readArguments(text, options)
}

/** The object that JSON.parse gives, of which it is not known whether it is tame; undefined where there is none. */
export function strictFields(text: string): object | undefined {
  const read = typeof text === 'string' && text.length <= SIZE_LIMIT
  const value = read ? parseStrict(text) : undefined
  return isFields(value) ? value : undefined
}

/** Reads what JSON.parse cannot read, or not without a loss. */
export function readArguments(text: string, options: ParseOptions | undefined): ParsedArguments {
  if (typeof text !== 'string') return refused('not_json', 'No text')
  let inner = text
  for (let layer = 1; layer <= LAYERS; layer++) {
    const read = readJsonText(inner, { bigints: options?.bigints ?? 'text', control: true })
    if (inner.trim() === '' || (read.ok && read.value === null)) return repaired(text, {}, 'empty')
    if (!read.ok) return read
    if (isFields(read.value))
      return repaired(text, read.value, layer > 1 ? 'encoded-twice' : read.rule)
    if (typeof read.value !== 'string') break
    inner = read.value
  }
  return refused('not_object', 'No object')
}

function refused(kind: TextFault['kind'], message: string): ParsedArguments {
  return { ok: false, fault: { kind, message } }
}

function repaired(from: string, to: object, rule: string): ParsedArguments {
  const repairs = rule === 'strict' ? NONE : [{ path: '', from, to, rule }]
  return { ok: true, value: to, repairs }
}
