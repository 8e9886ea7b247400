import type { Repair } from '@callgate/spec'

import type { ParsedArguments } from '../types.ts'
import { DEPTH_LIMIT, SIZE_LIMIT } from './fault.ts'
import { parseStrict } from './parse-strict.ts'
import { readJsonText, type ReadOptions } from './read-json-text.ts'

const NO_REPAIRS: readonly Repair[] = Object.freeze([])

/** How often arguments may have been encoded again: `"\"{}\""` is read, more layers are not. */
const LAYERS = 3

/**
 * Reads the raw arguments text of a tool call (R3.3; coercion policy rule 7).
 *
 * Strict JSON first; then, reported as repairs, a code fence, trailing commas, single quotes, Python words, raw
 * control characters inside text, and JSON that was encoded twice. Blank text, `null` and `None` are no arguments:
 * `{}`. Cut-off text is refused as `truncated`, never completed; a list or a scalar is `not_object`.
 * Integers that a double would change become text of digits, or bigint with `bigints: 'bigint'`. Keys named
 * `__proto__` are dropped. Linear time; never throws.
 */
export function parseArguments(
  text: string,
  options: { readonly bigints?: 'text' | 'bigint' } = {},
): ParsedArguments {
  const value = parseStrict(text, DEPTH_LIMIT)
  if (isObject(value) && text.length <= SIZE_LIMIT) return { ok: true, value, repairs: NO_REPAIRS }
  return parseLayer(text, { ...options, control: true }, LAYERS)
}

function parseLayer(text: string, options: ReadOptions, layers: number): ParsedArguments {
  const read = readJsonText(text, options)
  if (read.ok && isObject(read.value)) {
    const repairs = read.rule === 'strict' ? NO_REPAIRS : [repair(text, read.value, read.rule)]
    return { ok: true, value: read.value, repairs }
  }
  if (read.ok ? read.value === null : text.trim() === '') {
    return { ok: true, value: {}, repairs: [repair(text, {}, 'empty')] }
  }
  if (!read.ok) return { ok: false, fault: read.fault }
  if (typeof read.value === 'string' && layers > 1) {
    const inner = parseLayer(read.value, options, layers - 1)
    return inner.ok ? { ...inner, repairs: [repair(text, inner.value, 'encoded-twice')] } : inner
  }
  const message = `The arguments are ${kindOf(read.value)}, not an object`
  return { ok: false, fault: { kind: 'not_object', message } }
}

function repair(from: unknown, to: unknown, rule: string): Repair {
  return { path: '', from, to, rule }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
