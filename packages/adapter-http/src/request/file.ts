import { refused } from '../guard/refusal.ts'
import { textBytes, textCharset } from './charset.ts'
import { isAbsent } from './styles.ts'
import { unfit } from './unfit.ts'

/**
 * What a model sends for a file: text, or `{ content, encoding }` with `encoding: 'base64'` for bytes. A text is written in
 * the charset of the media type, bytes are what they are.
 *
 * @throws ToolError `invalid_arguments` for what is no file, and a text that cannot be written so.
 */
export function fileBytes(value: unknown, mediaType: string, parameter: string): Uint8Array {
  const { content, encoding } = typeof value === 'string' ? { content: value } : fields(value)
  if (typeof content !== 'string') throw unfit(parameter, 'text, or an object with "content"')
  if (encoding !== 'base64') return textBytes(content, textCharset(mediaType), parameter)
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

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && !isAbsent(value) ? (value as Record<string, unknown>) : {}
}
