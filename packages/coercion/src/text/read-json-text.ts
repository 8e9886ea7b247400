import { toPlainJson } from '../lossless/plain.ts'
import { readJson, type ReaderOptions } from '../lossless/reader.ts'
import { DEPTH_LIMIT, SIZE_LIMIT, type TextFault } from './fault.ts'
import { codeFenceContent } from './fence.ts'

export interface ReadOptions {
  readonly bigints?: 'text' | 'bigint'
  readonly control?: boolean
  readonly depth?: number
  readonly bytes?: number
}

export type ReadText =
  | { readonly ok: true; readonly value: unknown; readonly rule: 'strict' | 'fence' | 'relaxed' }
  | { readonly ok: false; readonly fault: TextFault }

/**
 * Reads a JSON text that a model wrote (policy rule 7): strict JSON; else the content of a code fence around the
 * whole text; else JSON with trailing commas, single quotes and Python words, down to the last character.
 * Nothing is ever closed, split or extracted. Integers outside the safe range come out as text or bigint.
 */
export function readJsonText(text: string, options: ReadOptions = {}): ReadText {
  if (text.length > (options.bytes ?? SIZE_LIMIT)) {
    return { ok: false, fault: { kind: 'too_large', message: 'The text is too long to be read' } }
  }
  const strict = readStrict(text, options)
  if (strict.ok) return { ok: true, value: strict.value, rule: 'strict' }
  if (strict.fault?.kind === 'too_deep') return { ok: false, fault: strict.fault }
  const content = codeFenceContent(text)
  if (content !== undefined) {
    const inner = readJsonText(content, options)
    return inner.ok ? { ...inner, rule: inner.rule === 'strict' ? 'fence' : inner.rule } : inner
  }
  const relaxed = readPlain(text.trim(), { ...options, relaxed: true })
  return relaxed.ok ? { ok: true, value: relaxed.value, rule: 'relaxed' } : relaxed
}

type Plain = { readonly ok: true; readonly value: unknown }

function readStrict(text: string, options: ReadOptions): Plain | { ok: false; fault?: TextFault } {
  if (needsCare(text)) return readPlain(text, { ...options, control: false })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false }
  }
  const limit = options.depth ?? DEPTH_LIMIT
  // Each level costs at least an opener and a closer.
  if (text.length <= 2 * limit || !deeperThan(value, limit)) return { ok: true, value }
  return { ok: false, fault: { kind: 'too_deep', message: 'The JSON value is nested too deeply' } }
}

/**
 * Whether JSON.parse would lose something: sixteen digits in a row may be an integer that a double rounds, and
 * `__proto__` (also when it is written with escapes) is a key that has to go.
 */
function needsCare(text: string): boolean {
  return (
    /\d{16}/.test(text) ||
    text.includes('__proto__') ||
    (text.includes('\\u00') && /\\u00[567]/.test(text))
  )
}

function readPlain(
  text: string,
  options: ReadOptions & ReaderOptions,
): Plain | { readonly ok: false; readonly fault: TextFault } {
  const read = readJson(text, options)
  if (!read.ok) return read
  const bigints = options.bigints ?? 'text'
  return { ok: true, value: toPlainJson(read.value, { bigints, dropProto: true }) }
}

/** Whether lists and objects are nested more than `limit` levels; looks no deeper than that. */
export function deeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit <= 0) return true
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    if (typeof entry === 'object' && entry !== null && deeperThan(entry, limit - 1)) return true
  }
  return false
}
