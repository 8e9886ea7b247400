import { charset, essence, isText } from '../operation/media.ts'
import { unfit } from './unfit.ts'

interface Charset {
  readonly encoding: BufferEncoding
  readonly fits: RegExp
  /** Puts other characters in the place of those whose bytes mean others in the encoding. */
  readonly prepare?: (text: string) => string
}

const utf8: Charset = { encoding: 'utf8', fits: /^/ }
const latin1: Charset = { encoding: 'latin1', fits: /^[\0-\u00ff]*$/ }
const ascii: Charset = { encoding: 'latin1', fits: /^[\0-\u007f]*$/ }

/** What the bytes 0x80 to 0x9f mean in windows-1252, which is Latin-1 elsewhere (the Encoding Standard, index windows-1252). */
const between = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const windows1252: Charset = {
  encoding: 'latin1',
  fits: new RegExp(`^[\\0-\u007f\u00a0-\u00ff${between}]*$`),
  prepare: (text) =>
    text.replace(/[^\0-\u00ff]/g, (character) =>
      String.fromCharCode(0x80 + between.indexOf(character)),
    ),
}

/** How a text is written in the charsets that can be sent, and which texts fit. */
const charsets: ReadonlyMap<string, Charset> = new Map([
  ['utf-8', utf8],
  ['utf8', utf8],
  ['utf-16le', { encoding: 'utf16le', fits: /^/ }],
  ['iso-8859-1', latin1],
  ['latin1', latin1],
  ['windows-1252', windows1252],
  ['us-ascii', ascii],
  ['ascii', ascii],
])

/** The charsets that a text can be sent in. */
export const sentCharsets: readonly string[] = [...charsets.keys()]

/** The charset of a text of this media type, in lower case; UTF-8 where it names none, and for what is no text. */
export function textCharset(mediaType: string): string {
  const named = isText(essence(mediaType)) ? charset(mediaType) : undefined
  return named?.toLowerCase() ?? 'utf-8'
}

/**
 * The bytes of a text in a charset.
 *
 * @throws ToolError `invalid_arguments` for a charset that is not among {@link sentCharsets}, and a character that it has not.
 */
export function textBytes(text: string, label: string, parameter: string): Uint8Array {
  const rule = charsets.get(label)
  if (rule === undefined) {
    throw unfit(parameter, `bytes in base64, or text in ${sentCharsets.join(', ')}`)
  }
  if (!rule.fits.test(text)) throw unfit(parameter, `text with characters of ${label} alone`)
  return Buffer.from(rule.prepare?.(text) ?? text, rule.encoding)
}
