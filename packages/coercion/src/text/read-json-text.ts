import { toPlainJson, type PlainOptions } from '../lossless/plain.ts'
import { readJson } from '../lossless/reader.ts'
import { SIZE_LIMIT, type TextFault } from './fault.ts'
import { codeFenceContent } from './fence.ts'
import { isTame, parseStrict } from './parse-strict.ts'

export interface ReadOptions extends PlainOptions {
  /** Also raw control characters inside text. */
  readonly control?: boolean
  readonly depth?: number
  readonly bytes?: number
  /** The text stood in a code fence, of which there is one. */
  readonly fenced?: boolean
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
    return { ok: false, fault: { kind: 'too_large', message: 'Too long' } }
  }
  const value = parseStrict(text)
  const isStrict = value !== undefined
  if (isStrict && isTame(value, options.depth)) return { ok: true, value, rule: 'strict' }
  const content = options.fenced ? undefined : codeFenceContent(text)
  if (content === null) {
    const message = 'No end of the fence'
    return { ok: false, fault: { kind: 'truncated', message, position: text.length } }
  }
  if (content !== undefined) {
    const inner = readJsonText(content, { ...options, fenced: true })
    return inner.ok && inner.rule === 'strict' ? { ...inner, rule: 'fence' } : inner
  }
  // What is strict reads the same way as what is not.
  const read = readJson(text.trim(), { ...options, relaxed: true })
  if (!read.ok) return read
  const plain = toPlainJson(read.value, { ...options, dropProto: true })
  return { ok: true, value: plain, rule: isStrict ? 'strict' : 'relaxed' }
}
