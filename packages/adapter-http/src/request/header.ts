import type { ToolError } from '@callgate/spec'

import { refused } from '../guard/refusal.ts'
import { encode, shapeOf, type ParameterStyle, type Serialisation } from './styles.ts'

/** Headers that say how the message itself is framed: set by the client alone. */
const framing =
  /^(host|content-length|transfer-encoding|connection|keep-alive|proxy-.*|expect|upgrade|te|trailer)$/i
/** Headers that are the gateway's to set: credentials and content negotiation. */
const owned = /^(authorization|cookie|accept|accept-encoding|content-type)$/i

/** Whether a model may never fill this header (D7). */
export function isGatewayHeader(name: string): boolean {
  return framing.test(name) || owned.test(name)
}

/** Whether not even a declaration may set this header. */
export function isFramingHeader(name: string): boolean {
  return framing.test(name)
}

/** Whether a text can name a header, RFC 9110 section 5.1. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)
}

/** Writes one header parameter: style simple, not percent-encoded. Whether a header can carry it is not looked at. */
export function headerText(plan: Serialisation, value: unknown): string | undefined {
  return plan.contentType === undefined ? simpleText(plan, value) : JSON.stringify(value)
}

/** Gives the value back, or refuses it: a line break would begin another header. */
export function checkHeaderValue(text: string, parameter: string): string {
  if (isHeaderValue(text)) return text
  throw unfitForHeader(parameter)
}

/** Whether a text is visible Latin-1, space and tab only (D7). */
export function isHeaderValue(text: string): boolean {
  return /^[\t\u0020-\u007e\u00a0-\u00ff]*$/.test(text)
}

export function unfitForHeader(parameter: string): ToolError {
  return refused({
    rule: 'header-value',
    parameter,
    message: `"${parameter}" holds a character that a header cannot carry.`,
  })
}

function simpleText(plan: Serialisation, value: unknown): string | undefined {
  const shape = shapeOf(value)
  if (shape.kind === 'absent') return undefined
  if (shape.kind === 'scalar') return shape.text
  const separator = headerSeparator(plan.style)
  if (shape.kind === 'list') return shape.items.join(separator)
  if (!plan.explode) return shape.entries.flat().join(separator)
  return shape.entries.map(([key, item]) => `${key}=${item}`).join(separator)
}

function headerSeparator(style: ParameterStyle): string {
  if (style === 'spaceDelimited') return ' '
  if (style === 'pipeDelimited') return '|'
  return style === 'tabDelimited' ? '\t' : ','
}

/** Writes one cookie parameter as `name=value` pairs; values are percent-encoded, so separators stay data. */
export function cookieTexts(plan: Serialisation, value: unknown): readonly string[] {
  const shape = plan.contentType === undefined ? shapeOf(value) : shapeOf(JSON.stringify(value))
  if (shape.kind === 'absent') return []
  const name = encode(plan.name)
  if (shape.kind === 'scalar') return [`${name}=${encode(shape.text)}`]
  if (shape.kind === 'list') {
    const items = shape.items.map((item) => encode(item))
    return plan.explode ? items.map((item) => `${name}=${item}`) : [`${name}=${items.join(',')}`]
  }
  const entries = shape.entries.map(([key, item]) => [encode(key), encode(item)] as const)
  return plan.explode
    ? entries.map(([key, item]) => `${key}=${item}`)
    : [`${name}=${entries.flat().join(',')}`]
}
