import { bitOf, OBJECT } from './plan/types.ts'
import { replaceBigints } from './validate/bigints.ts'

const TEXT = 60

/** No faults, no repairs. */
export const NONE: readonly never[] = Object.freeze([])

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is { readonly [name: string]: unknown } {
  return bitOf(value) === OBJECT
}

/** One more token of a JSON pointer (RFC 6901). */
export function pointerToken(token: string | number): string {
  return `/${String(token).replace(/~/g, '~0').replace(/\//g, '~1')}`
}

/** The name in a token of a JSON pointer. */
export function unescapeToken(token: string): string {
  return token.replace(/~1/g, '/').replace(/~0/g, '~')
}

/** A value as JSON, cut to what fits in a message. */
export function shown(value: unknown): string {
  return cut(value, TEXT)
}

/** A value as JSON, of at most so many characters before it is cut. */
export function cut(value: unknown, most: number): string {
  const text = JSON.stringify(replaceBigints(value, String)) ?? 'nothing'
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** The text, or none where there is something else: not all that a schema holds can be made text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Ends what is bounded: whoever began it gives an answer for the whole. */
export function giveUp(): never {
  throw new Error()
}
