import { shortened } from '../results/cut-text.ts'

/** Characters of one value that a human is shown. */
const maxCharacters = 200

/** What is not seen, or changes how what stands beside it is seen: controls, escapes, marks of direction, widths of nothing. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
const unseenButLines =
  /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
/** A value of these needs no quotes to be told from the text around it. */
const oneWord = /^[^\s"'`]+$/u

/**
 * A value of the model in a text by which a human decides (R9.4): short, in one line, and in quotes where it could be
 * taken for the text around it.
 */
export function shownValue(value: unknown): string {
  if (typeof value !== 'string')
    return escaped(shortened(JSON.stringify(value) ?? 'nothing', maxCharacters), unseen)
  const short = shortened(value, maxCharacters)
  const plain = escaped(short, unseen)
  return plain === short && oneWord.test(short) ? short : escaped(JSON.stringify(short), unseen)
}

/** A text that others wrote for a human: in lines as they wrote it, with nothing that cannot be seen. */
export function shownText(text: string): string {
  return escaped(text, unseenButLines)
}

function escaped(text: string, what: RegExp): string {
  return text.replaceAll(what, (one) => {
    const code = one.codePointAt(0)!
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
