import { giveUp } from '../json.ts'
import { DEPTH_LIMIT, type TextFault } from '../text/fault.ts'
import { canonicalNumber, LosslessNumber } from './number.ts'
import type { LosslessValue } from './value.ts'

/** What the reader takes beside strict JSON. */
export interface ReaderOptions {
  /** Deepest nesting of lists and objects; default 200. */
  readonly depth?: number
  /** Also a comma before a closer, single-quoted text, and the Python words True, False and None. */
  readonly relaxed?: boolean
  /** Also raw control characters inside text. */
  readonly control?: boolean
}

export type ReaderResult =
  | { readonly ok: true; readonly value: LosslessValue }
  | { readonly ok: false; readonly fault: TextFault }

interface Reader extends ReaderOptions {
  readonly text: string
  at: number
  level: number
}

const scalarPattern = /[-+.\w]*/y
const pythonWords = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

/** Reads one JSON value from the whole text, in linear time and with bounded recursion. Never throws. */
export function readJson(text: string, options: ReaderOptions = {}): ReaderResult {
  const reader: Reader = { ...options, text, at: 0, level: 0 }
  try {
    const value = readValue(reader)
    if (current(reader) !== undefined) giveUp()
    return { ok: true, value }
  } catch {
    const { at: position, level, depth = DEPTH_LIMIT } = reader
    // Where the text ends, more may have been meant.
    const end = position < text.length ? 'not_json' : 'truncated'
    const kind = level > depth ? 'too_deep' : end
    return { ok: false, fault: { kind, message: `${kind} at ${position}`, position } }
  }
}

/**
 * Reads strict JSON and keeps what JSON.parse loses: key order, integer-like keys, `__proto__` as data and every
 * digit (R2.3, R3). A duplicate key keeps its first position and its last value.
 *
 * Takes the text and the deepest nesting allowed (default 200); gives the tree or a fault. Never throws; text that
 * JSON does not allow (NaN, a number whose double overflows, a raw control character) is a fault.
 */
export function parseLossless(
  text: string,
  options: { readonly depth?: number } = {},
): ReaderResult {
  return readJson(text, options)
}

/** The character at which the reader is, which goes over white space first. */
function current(reader: Reader): string | undefined {
  let code = reader.text.charCodeAt(reader.at)
  while (code === 32 || code === 10 || code === 13 || code === 9) {
    code = reader.text.charCodeAt(++reader.at)
  }
  return reader.text[reader.at]
}

function readValue(reader: Reader): LosslessValue {
  const next = current(reader)
  if (next === '{' || next === '[') return readNested(reader)
  return next === '"' || next === "'" ? readText(reader) : readScalar(reader)
}

function readNested(reader: Reader): LosslessValue {
  if (reader.level++ >= (reader.depth ?? DEPTH_LIMIT)) giveUp()
  const fields = current(reader) === '{' ? new Map<string, LosslessValue>() : undefined
  const closer = fields ? '}' : ']'
  const list: LosslessValue[] = []
  reader.at++
  let next = current(reader)
  while (next !== closer) {
    if (fields) fields.set(readKey(reader), readValue(reader))
    else list.push(readValue(reader))
    next = current(reader)
    if (next !== closer) {
      if (next !== ',') giveUp()
      reader.at++
      next = current(reader)
      if (next === closer && !reader.relaxed) giveUp()
    }
  }
  reader.at++
  reader.level--
  return fields ?? list
}

function readKey(reader: Reader): string {
  const key = readText(reader)
  if (current(reader) !== ':') giveUp()
  reader.at++
  return key
}

function readScalar(reader: Reader): LosslessValue {
  scalarPattern.lastIndex = reader.at
  const [lexeme = ''] = scalarPattern.exec(reader.text) ?? []
  const end = reader.at + lexeme.length
  // Inside a list or an object, a scalar at the very end was cut.
  if (reader.level > 0) reader.at = end
  const word = (reader.relaxed && pythonWords.get(lexeme)) || lexeme
  const value = JSON.parse(word) as number | boolean | null
  const read = typeof value === 'number' ? new LosslessNumber(canonicalNumber(lexeme)) : value
  reader.at = end
  return read
}

function readText(reader: Reader): string {
  const quote = current(reader)
  if (quote !== '"' && !(quote === "'" && reader.relaxed)) giveUp()
  const mark = /\\[^]|["']/g
  mark.lastIndex = reader.at + 1
  let found = mark.exec(reader.text)
  while (found && found[0] !== quote) found = mark.exec(reader.text)
  if (found === null) {
    reader.at = reader.text.length
    return giveUp()
  }
  let inner = reader.text.slice(reader.at + 1, found.index)
  if (quote === "'") inner = inner.replace(/\\[^]|["']/g, requote)
  // Behind a backslash it is no JSON, and would mean something else if it were escaped.
  const bare = /\\[^]|[\u0000-\u001f]/g
  if (reader.control)
    inner = inner.replace(bare, (part) => (part[1] ? part : escapeCharacter(part)))
  const text = JSON.parse(`"${inner}"`) as string
  reader.at = found.index + 1
  return text
}

function requote(part: string): string {
  return part === '"' ? '\\"' : part === "\\'" ? "'" : part
}

/** As JSON.stringify escapes it. */
export function escapeCharacter(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
