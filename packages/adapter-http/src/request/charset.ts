import { charset, essence, isText } from '../operation/media.ts'
import { unfit } from './file.ts'

/** How a text is written in the charsets that can be sent, and which texts fit. */
const charsets: Readonly<
  Record<string, { readonly encoding: BufferEncoding; readonly fits: RegExp }>
> = {
  'utf-8': { encoding: 'utf8', fits: /^/ },
  utf8: { encoding: 'utf8', fits: /^/ },
  'utf-16le': { encoding: 'utf16le', fits: /^/ },
  'iso-8859-1': { encoding: 'latin1', fits: /^[\0-\u00ff]*$/ },
  latin1: { encoding: 'latin1', fits: /^[\0-\u00ff]*$/ },
  'us-ascii': { encoding: 'latin1', fits: /^[\0-\u007f]*$/ },
}

/** The charsets that a text can be sent in. */
export const sentCharsets: readonly string[] = Object.keys(charsets)

/** The charset of a text of this media type, in lower case; UTF-8 where it names none, and for what is no text. */
export function textCharset(mediaType: string): string {
  const named = isText(essence(mediaType)) ? charset(mediaType) : undefined
  return named?.toLowerCase() ?? 'utf-8'
}

/**
 * A text in a charset of {@link sentCharsets}.
 *
 * @throws ToolError `invalid_arguments` for a character that the charset has not.
 */
export function textBytes(text: string, label: string, parameter: string): Uint8Array {
  const { encoding, fits } = charsets[label] ?? { encoding: 'utf8', fits: /^/ }
  if (!fits.test(text)) throw unfit(parameter, `text with characters of ${label} alone`)
  return Buffer.from(text, encoding)
}
