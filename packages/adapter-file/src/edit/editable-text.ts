import { Buffer } from 'node:buffer'

import { fail } from '../guard/refuse.ts'
import { decode, encodingOfHead } from '../read/encoding.ts'

/** The text of a file that can be written back byte for byte. */
export interface EditableText {
  readonly text: string
  /** The bytes of a text in the file's encoding. */
  encode(text: string): Buffer
}

/**
 * Reads a whole file strictly: UTF-8, or UTF-16 with a mark. The mark is a character of the text, so that it stays.
 *
 * @throws ToolError `tool_failed` with the rule binary or encoding where some bytes would not survive.
 */
export function editableText(content: Buffer): EditableText {
  const encoding = encodingOfHead(content)
  if (encoding === 'binary') return fail('binary', 'path', 'It is a binary file; it is not edited.')
  const text = decode(content, encoding)
  if (text === undefined) {
    const message =
      'The file is not UTF-8, so it is not edited: bytes beside the edit could change.'
    return fail('encoding', 'path', message)
  }
  return { text, encode: (part) => encodeAs(encoding.name, part) }
}

function encodeAs(name: string, text: string): Buffer {
  if (name === 'utf-8') return Buffer.from(text, 'utf8')
  const bytes = Buffer.from(text, 'utf16le')
  return name === 'utf-16be' ? bytes.swap16() : bytes
}
