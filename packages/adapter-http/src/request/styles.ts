import { toUSVString } from 'node:util'

/**
 * How OpenAPI writes a value into a request: the style table of the specification, section "Style Values"
 * (3.0.4, 3.1.1), which rests on RFC 6570. `tabDelimited` is `collectionFormat: tsv` of Swagger 2.0.
 */
export const parameterStyles = [
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'tabDelimited',
  'deepObject',
  'simple',
  'label',
  'matrix',
] as const

/** One of the styles of {@link parameterStyles}. */
export type ParameterStyle = (typeof parameterStyles)[number]

/** How lists inside a `deepObject` are written, which the specification leaves open. */
export type NestedArrays = 'indices' | 'brackets' | 'repeat'

/** What is known about one value of a request. */
export interface Serialisation {
  readonly name: string
  readonly style: ParameterStyle
  readonly explode: boolean
  /** Query only: `:/?@!$()*,;` stay as they are. Delimiters of the query are always encoded. */
  readonly allowReserved?: boolean
  /** A media type: the value is written as such a document instead of by style. */
  readonly contentType?: string
  readonly nestedArrays?: NestedArrays
}

/** A value taken apart: what is absent (null included, RFC 6570 section 2.3) is not written. */
export type Shape =
  | { readonly kind: 'absent' }
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, string])[] }

/** Takes a value apart for a flat style; what is nested deeper is written as JSON, never as "[object Object]". */
export function shapeOf(value: unknown): Shape {
  if (isAbsent(value)) return { kind: 'absent' }
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isAbsent(item)).map((item) => scalarText(item))
    return items.length === 0 ? { kind: 'absent' } : { kind: 'list', items }
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value as object)
      .filter(([, item]) => !isAbsent(item))
      .map(([key, item]): readonly [string, string] => [key, scalarText(item)])
    return entries.length === 0 ? { kind: 'absent' } : { kind: 'object', entries }
  }
  return { kind: 'scalar', text: scalarText(value) }
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

/** A scalar as text, anything else as JSON. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  return JSON.stringify(value) ?? ''
}

const unreserved = /^[A-Za-z0-9._~-]*$/

/** Percent-encodes all but the unreserved characters of RFC 3986; a percent sign is encoded again. */
export function encode(text: string): string {
  if (unreserved.test(text)) return text
  return encodeURIComponent(toUSVString(text)).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Like {@link encode}, but leaves the reserved characters that cannot end or split a query. */
export function encodeReserved(text: string): string {
  return encodeURI(toUSVString(text)).replace(
    /[#&=+[\]]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** What stands between the items of a list, already encoded. */
export function separatorOf(style: ParameterStyle): string {
  if (style === 'spaceDelimited') return '%20'
  if (style === 'pipeDelimited') return '%7C'
  if (style === 'tabDelimited') return '%09'
  return ','
}
