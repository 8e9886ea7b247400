import { ToolError } from '@callgate/spec'

import { essence } from '../operation/media.ts'
import type { BodyPlan } from '../operation/operation.ts'
import { multipartBody } from './multipart.ts'
import { pairsOf } from './query.ts'
import { encode, isAbsent, scalarText } from './styles.ts'

/** A body ready to be sent. */
export interface WrittenBody {
  readonly mediaType: string
  readonly content: string | Uint8Array
}

/** Writes a body by its media type (D5); nothing where the value is absent. */
export function writeBody(plan: BodyPlan, value: unknown): WrittenBody | undefined {
  if (value === undefined) return undefined
  switch (plan.kind) {
    case 'json':
      return { mediaType: plan.mediaType, content: JSON.stringify(value) }
    case 'form':
      return { mediaType: plan.mediaType, content: formText(plan, value) }
    case 'multipart':
      return multipartBody(plan, recordOf(plan, value))
    case 'text':
      return { mediaType: plan.mediaType, content: scalarText(value) }
    case 'binary':
      return { mediaType: plan.mediaType, content: fileBytes(value, plan.parameter) }
  }
}

/** The value as a record of fields. */
function recordOf(plan: BodyPlan, value: unknown): { readonly [field: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as { readonly [field: string]: unknown }
  }
  throw unfit(plan.parameter, 'an object with the fields of the form')
}

/**
 * application/x-www-form-urlencoded: a property with a style is written by it; without one, a scalar as it is, a list
 * as repeated names, an object as JSON (OpenAPI 3.1.1, "Encoding the x-www-form-urlencoded Media Type").
 */
function formText(plan: BodyPlan, value: unknown): string {
  const pairs = Object.entries(recordOf(plan, value)).flatMap(([name, item]) => {
    const { style = 'form', explode, ...rest } = plan.encoding[name] ?? {}
    const flat = style === 'form' && isRecord(item) && explode === undefined
    return pairsOf(
      {
        name,
        style,
        explode: explode ?? (style === 'form' || style === 'deepObject'),
        ...(flat ? { contentType: rest.contentType ?? 'application/json' } : {}),
        ...(plan.nestedArrays === undefined ? {} : { nestedArrays: plan.nestedArrays }),
      },
      item,
      formEncode,
    )
  })
  return pairs.map(([name, item]) => `${name.replaceAll('%20', '+')}=${item}`).join('&')
}

function formEncode(text: string): string {
  return encode(text).replaceAll('%20', '+')
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a model sends for a file: text, or `{ content, encoding }` with `encoding: 'base64'` for bytes. */
export function fileBytes(value: unknown, parameter: string): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'utf8')
  const { content, encoding } = (isRecord(value) ? value : {}) as Record<string, unknown>
  if (typeof content !== 'string') {
    throw unfit(parameter, 'text, or an object with "content"')
  }
  if (encoding !== 'base64') return Buffer.from(content, 'utf8')
  const compact = content.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) throw unfit(parameter, 'base64 in "content"')
  return Buffer.from(compact, 'base64')
}

/** Whether a value is written as a file of a multipart body although its schema says nothing of files. */
export function looksLikeFile(value: unknown): boolean {
  if (isAbsent(value) || !isRecord(value)) return false
  const { content, filename } = value as Record<string, unknown>
  return typeof content === 'string' && typeof filename === 'string'
}

/** A media type that a model gave for a part; anything that could break the header is refused. */
export function partMediaType(text: string, parameter: string): string {
  if (/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(text)) return text
  throw new ToolError({
    code: 'guard_refused',
    rule: 'multipart',
    parameter,
    started: 'no',
    message: `"${essence(text)
      .slice(0, 40)
      .replaceAll(/[^ -~]/g, '?')}" is not a media type.`,
  })
}

function unfit(parameter: string, expected: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    parameter,
    started: 'no',
    message: `"${parameter}" has to be ${expected}.`,
  })
}
