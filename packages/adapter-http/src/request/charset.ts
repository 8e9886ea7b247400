import { charset, essence, isText } from '../operation/media.ts'
import { unfit } from './unfit.ts'

interface Charset {
  readonly fits: RegExp
  readonly write: (text: string) => Uint8Array
}

const utf8: Charset = { fits: /^/, write: (text) => Buffer.from(text) }
const latin1: Charset = { fits: /^[\0-\u00ff]*$/, write: (text) => Buffer.from(text, 'latin1') }
const ascii: Charset = { ...latin1, fits: /^[\0-\u007f]*$/ }

/** What the bytes 0x80 to 0x9f mean in windows-1252, which is Latin-1 elsewhere (the Encoding Standard, index windows-1252). */
const between = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const windows1252: Charset = {
  fits: new RegExp(`^[\\0-\u007f\u00a0-\u00ff${between}]*$`),
  write(text) {
    const byteOf = (character: string): string =>
      String.fromCodePoint(0x80 + between.indexOf(character))
    return latin1.write(text.replaceAll(new RegExp(`[${between}]`, 'g'), byteOf))
  },
}

/** How a text is written in the charsets that can be sent, and which texts fit. */
const charsets: ReadonlyMap<string, Charset> = new Map([
  ['utf-8', utf8],
  ['utf8', utf8],
  ['utf-16le', { fits: /^/, write: (text) => Buffer.from(text, 'utf16le') }],
  ['iso-8859-1', latin1],
  ['latin1', latin1],
  ['windows-1252', windows1252],
  ['cp1252', windows1252],
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
  return rule.write(text)
}
