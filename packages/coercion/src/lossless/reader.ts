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

interface Reader {
  readonly text: string
  readonly options: ReaderOptions
  at: number
  depth: number
  fault: TextFault | undefined
}

/** Every read function gives this instead of a value once `reader.fault` is set. */
const FAILED: unique symbol = Symbol('failed')
type Read<T> = T | typeof FAILED

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const plainDouble = /[^"\\\u0000-\u001f]*/y
const plainSingle = /[^'\\\u0000-\u001f]*/y
const escapes: { readonly [letter: string]: string } = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const jsonWords = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const pythonWords = new Map<string, boolean | null>([
  ['True', true],
  ['False', false],
  ['None', null],
])

/** Reads one JSON value from the whole text, in linear time and with bounded recursion. Never throws. */
export function readJson(text: string, options: ReaderOptions = {}): ReaderResult {
  const reader: Reader = { text, options, at: 0, depth: 0, fault: undefined }
  skipSpace(reader)
  const value = readValue(reader)
  if (value !== FAILED) {
    skipSpace(reader)
    if (reader.at === text.length) return { ok: true, value }
    fail(reader, 'not_json', 'Text follows the JSON value')
  }
  const fault = reader.fault ?? { kind: 'not_json', message: 'Not JSON' }
  return { ok: false, fault }
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

function fail(reader: Reader, kind: TextFault['kind'], what: string): typeof FAILED {
  const ended = kind === 'not_json' && reader.at >= reader.text.length
  reader.fault ??= {
    kind: ended ? 'truncated' : kind,
    message: ended ? `The text ends before the JSON value is complete` : `${what} at ${reader.at}`,
    position: reader.at,
  }
  return FAILED
}

function skipSpace(reader: Reader): void {
  const { text } = reader
  let code = text.charCodeAt(reader.at)
  while (code === 32 || code === 10 || code === 13 || code === 9) {
    code = text.charCodeAt(++reader.at)
  }
}

function readValue(reader: Reader): Read<LosslessValue> {
  const first = reader.text[reader.at]
  if (first === '{') return nested(reader, readObject)
  if (first === '[') return nested(reader, readArray)
  if (isQuote(reader, first)) return readText(reader, first)
  if (first === '-' || (first !== undefined && first >= '0' && first <= '9')) {
    return readNumber(reader)
  }
  return readWord(reader)
}

function isQuote(reader: Reader, first: string | undefined): first is '"' | "'" {
  return first === '"' || (first === "'" && reader.options.relaxed === true)
}

function nested<T>(reader: Reader, read: (reader: Reader) => Read<T>): Read<T> {
  if (reader.depth >= (reader.options.depth ?? DEPTH_LIMIT)) {
    return fail(reader, 'too_deep', 'Nested too deeply')
  }
  reader.depth++
  reader.at++
  skipSpace(reader)
  const value = read(reader)
  reader.depth--
  return value
}

/** After an entry: true when the closer came, false when another entry follows. */
function closed(reader: Reader, closer: string): Read<boolean> {
  skipSpace(reader)
  const mark = reader.text[reader.at]
  if (mark !== closer && mark !== ',') return fail(reader, 'not_json', `No , or ${closer}`)
  reader.at++
  if (mark === closer) return true
  skipSpace(reader)
  if (!reader.options.relaxed || reader.text[reader.at] !== closer) return false
  reader.at++
  return true
}

function readObject(reader: Reader): Read<Map<string, LosslessValue>> {
  const object = new Map<string, LosslessValue>()
  if (reader.text[reader.at] === '}') {
    reader.at++
    return object
  }
  for (;;) {
    const quote = reader.text[reader.at]
    if (!isQuote(reader, quote)) return fail(reader, 'not_json', 'No quoted key')
    const key = readText(reader, quote)
    if (key === FAILED) return FAILED
    skipSpace(reader)
    if (reader.text[reader.at] !== ':') return fail(reader, 'not_json', 'No : after the key')
    reader.at++
    skipSpace(reader)
    const value = readValue(reader)
    if (value === FAILED) return FAILED
    object.set(key, value)
    const end = closed(reader, '}')
    if (end === FAILED) return FAILED
    if (end) return object
  }
}

function readArray(reader: Reader): Read<LosslessValue[]> {
  const array: LosslessValue[] = []
  if (reader.text[reader.at] === ']') {
    reader.at++
    return array
  }
  for (;;) {
    const value = readValue(reader)
    if (value === FAILED) return FAILED
    array.push(value)
    const end = closed(reader, ']')
    if (end === FAILED) return FAILED
    if (end) return array
  }
}

function readNumber(reader: Reader): Read<LosslessNumber> {
  numberPattern.lastIndex = reader.at
  const lexeme = numberPattern.exec(reader.text)?.[0]
  if (lexeme === undefined) {
    // A lone minus: report the end of the text, if that is what is missing.
    if (reader.at + 1 === reader.text.length) reader.at++
    return fail(reader, 'not_json', 'No digits')
  }
  const end = reader.at + lexeme.length
  // "1." and "1e" at the very end are a number that was cut.
  if (/^(?:\.|[eE][+-]?)$/.test(reader.text.slice(end, end + 3))) {
    reader.at = reader.text.length
    return fail(reader, 'not_json', 'No digits')
  }
  const text = canonicalNumber(lexeme)
  if (text === undefined) return fail(reader, 'not_json', 'A number too large for a double')
  reader.at = end
  return new LosslessNumber(text)
}

function readWord(reader: Reader): Read<boolean | null> {
  const rest = reader.text.slice(reader.at, reader.at + 5)
  const tables = reader.options.relaxed ? [jsonWords, pythonWords] : [jsonWords]
  for (const table of tables) {
    for (const [word, value] of table) {
      if (rest.startsWith(word)) {
        reader.at += word.length
        return value
      }
      if (rest !== '' && word.startsWith(rest)) reader.at = reader.text.length
    }
  }
  return fail(reader, 'not_json', 'No JSON value')
}

function readText(reader: Reader, quote: '"' | "'"): Read<string> {
  const { text } = reader
  const plain = quote === '"' ? plainDouble : plainSingle
  let value = ''
  reader.at++
  for (;;) {
    plain.lastIndex = reader.at
    plain.exec(text)
    value += text.slice(reader.at, plain.lastIndex)
    reader.at = plain.lastIndex
    const next = text[reader.at]
    if (next === quote) {
      reader.at++
      return value
    }
    if (next === '\\') {
      const character = readEscape(reader, quote)
      if (character === FAILED) return FAILED
      value += character
    } else if (next !== undefined && reader.options.control) {
      value += next
      reader.at++
    } else {
      return fail(reader, 'not_json', 'A raw control character inside text')
    }
  }
}

function readEscape(reader: Reader, quote: string): Read<string> {
  const letter = reader.text[reader.at + 1] ?? ''
  if (letter === 'u') {
    const hex = reader.text.slice(reader.at + 2, reader.at + 6)
    if (/^[0-9a-fA-F]{4}$/.test(hex)) {
      reader.at += 6
      return String.fromCharCode(Number.parseInt(hex, 16))
    }
    if (hex.length < 4) reader.at = reader.text.length
    return fail(reader, 'not_json', 'No four hexadecimal digits')
  }
  const character =
    letter === quote ? quote : Object.hasOwn(escapes, letter) ? escapes[letter] : undefined
  if (character === undefined) {
    if (letter === '') reader.at = reader.text.length
    return fail(reader, 'not_json', 'An unknown escape')
  }
  reader.at += 2
  return character
}
