import { ToolError } from '@callgate/spec'

import { refused } from '../guard/refusal.ts'
import { isAbsent } from './styles.ts'

/** What a model sends for a file: text, or `{ content, encoding }` with `encoding: 'base64'` for bytes. */
export function fileBytes(value: unknown, parameter: string): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'utf8')
  const { content, encoding } = fields(value)
  if (typeof content !== 'string') throw unfit(parameter, 'text, or an object with "content"')
  if (encoding !== 'base64') return Buffer.from(content, 'utf8')
  const compact = content.replaceAll(/\s+/g, '')
  const [, digits] = /^([A-Za-z0-9+/_-]*)={0,2}$/.exec(compact) ?? []
  // One digit over four is no byte: the text was cut.
  if (digits === undefined || digits.length % 4 === 1) throw unfit(parameter, 'base64 in "content"')
  return Buffer.from(compact, 'base64')
}

/** Whether a value is a file of a multipart body although no schema says so. */
export function looksLikeFile(value: unknown): boolean {
  const { content, filename } = fields(value)
  return typeof content === 'string' && typeof filename === 'string'
}

/** Name and media type of a file; a media type that could break the header of its part is refused. */
export function fileFacts(
  value: unknown,
  field: string,
): { readonly filename: string; readonly mediaType: string | undefined } {
  const { filename, mediaType } = fields(value)
  const type = typeof mediaType === 'string' ? mediaType : undefined
  if (type !== undefined && !/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(type)) {
    throw refused({
      rule: 'multipart',
      parameter: field,
      message: `"${field}" has a media type that cannot be sent.`,
      reason: JSON.stringify(type.slice(0, 200)),
    })
  }
  return { filename: typeof filename === 'string' ? filename : field, mediaType: type }
}

/** An argument that a body of this kind cannot be written from. */
export function unfit(parameter: string, expected: string): ToolError {
  return new ToolError({
    code: 'invalid_arguments',
    parameter,
    started: 'no',
    message: `"${parameter}" has to be ${expected}.`,
  })
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && !isAbsent(value) ? (value as Record<string, unknown>) : {}
}
