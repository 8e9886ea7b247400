import { replaceSequence, sequenceOf, type Sequence } from './sequence.ts'

/** No UTF-16 unit of a secret takes more bytes in any form: three that are each `%` with three times `25` and two digits. */
export const maxFormBytes = 27

/** What finds a secret however it is written. */
export interface SecretForms {
  readonly plain: string
  /** As hexadecimal digits, and in Base64 of either alphabet. */
  readonly coded: readonly string[]
  /** Plain, or escaped as in URLs, JSON (also JSON in JSON) and HTML, any character but letters and digits by itself. */
  readonly escaped: Sequence
}

export const noForms: SecretForms = { plain: '', coded: [], escaped: [] }

export function formsOf(secret: string): SecretForms {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, hexOf).join('')
  const base64 = [0, 1, 2].map((before) => insideBase64(bytes, before))
  const coded = [
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  return {
    plain: secret,
    coded: [...new Set(coded)],
    escaped: sequenceOf(escapedPatterns(secret)),
  }
}

/** An expression for each 256 characters, which ends where the next can begin: `&` is also the beginning of `&amp;`. */
function escapedPatterns(secret: string): readonly string[] {
  const pieces = secret.match(/[^]{1,256}/gu) ?? []
  return pieces.map((piece, at) => {
    const next = /^[^]{1,8}/u.exec(pieces[at + 1] ?? '')?.[0] ?? ''
    return `${escapedPattern(piece)}(?=${escapedPattern(next)})`
  })
}

/** A text without a secret in any of its forms. */
export function withoutForms(
  text: string,
  { coded, escaped }: SecretForms,
  hide: (found: string) => string,
): string {
  let clean = replaceSequence(text, escaped, hide)
  // Looking is quicker than replacing, and most texts hold none.
  for (const form of coded) if (clean.includes(form)) clean = clean.replaceAll(form, hide)
  return clean
}

/** The place from which a text may go on as one of these forms of a secret; its length where there is none. */
export function placeOfBeginning(text: string, { plain, coded }: SecretForms): number {
  return Math.min(...[plain, ...coded].map((form) => beginning(text, form)))
}

function beginning(text: string, form: string): number {
  let at = text.length - form.length
  do at = text.indexOf(form.charAt(0), at + 1)
  while (at !== -1 && !form.startsWith(text.slice(at)))
  return at === -1 ? text.length : at
}

/** A text with one character for each byte, in which expressions find what stands in bytes of any kind. */
export function asBytes(bytes: Uint8Array): string {
  let text = ''
  // By pieces, since a call takes so many arguments; as a list like others, since spreading is slow.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + 8192) as unknown as number[])
  }
  return text
}

/** The digits that the bytes have in Base64 behind so many others, without those that depend on their neighbours. */
function insideBase64(bytes: Uint8Array, before: number): string {
  const all = btoa('\0'.repeat(before) + asBytes(bytes))
  return all.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
}

/** JSON in JSON doubles them at each level: bounded, or many in a row would be tried in every way. */
const backslashes = String.raw`\\{0,8}`
const names: { readonly [character: string]: string } = {
  '"': 'quot',
  '&': 'amp',
  "'": 'apos',
  '<': 'lt',
  '>': 'gt',
}

function escapedPattern(secret: string): string {
  // Backslashes in a row are one: each may be written as several.
  const parts = secret.match(/\\+|[^\\]/gu) ?? []
  return parts
    .map((part) => (part.startsWith('\\') ? backslashPattern(part) : patternOf(part)))
    .join('')
}

function backslashPattern({ length }: string): string {
  return String.raw`(?:\\{${length},${length * 8}}|(?:%(?:25){0,3}5[cC]){${length}}|(?:&(?:amp;){0,3}#(?:92|[xX]5[cC]);){${length}})`
}

function patternOf(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character
  const code = character.codePointAt(0)!
  const percent = Array.from(
    new TextEncoder().encode(character),
    (byte) => `%(?:25){0,3}${anyCase(hexOf(byte))}`,
  )
  const units = Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return String.raw`\\{1,8}u${anyCase(unit)}`
  })
  const forms = [
    backslashes + literal(character),
    percent.join(''),
    units.join(''),
    `&(?:amp;){0,3}(?:${entities(character, code).join('|')});`,
  ]
  if (code > 127) forms.push(asBytes(new TextEncoder().encode(character)))
  if (character < ' ') forms.push(String.raw`\\{1,8}${JSON.stringify(character).slice(2, -1)}`)
  if (character === ' ') forms.push(literal('+'))
  return `(?:${forms.join('|')})`
}

function entities(character: string, code: number): readonly string[] {
  const numbers = [`#0{0,4}${code}`, `#[xX]0{0,4}${anyCase(code.toString(16))}`]
  return numbers.concat(names[character] ?? [])
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

/** Digits in lower or upper case. */
function anyCase(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

function literal(character: string): string {
  return character.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
