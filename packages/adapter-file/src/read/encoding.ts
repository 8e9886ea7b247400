import { fail } from '../guard/refuse.ts'

/** How the bytes of a file are read as text. */
export interface Encoding {
  /** A name of the Encoding Standard, such as utf-8 or gb18030. */
  readonly name: string
  /** Bytes of one unit: a line ends with LF of this size. */
  readonly unit: 1 | 2
  /** Bytes of the mark at the beginning of the file. */
  readonly markBytes: 0 | 2 | 3
  /** It was told by the look of the bytes alone. */
  readonly guessed: boolean
}

export const headBytes = 8192

const utf8: Encoding = { name: 'utf-8', unit: 1, markBytes: 0, guessed: false }

/** The encoding that the first bytes say: by a mark, else UTF-8, else none because a NUL is among them (C9). */
export function encodingOfHead(head: Buffer): Encoding | 'binary' {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { ...utf8, markBytes: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return utf16('utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return utf16('utf-16be')
  return head.subarray(0, headBytes).includes(0) ? 'binary' : utf8
}

function utf16(name: string): Encoding {
  return { name, unit: 2, markBytes: 2, guessed: false }
}

/** An encoding that the caller names. @throws ToolError when there is none of that name. */
export function declaredEncoding(label: string, head: Buffer): Encoding {
  const name = knownName(label)
  if (name === undefined) {
    return fail('encoding', 'encoding', `No encoding is called "${label.slice(0, 40)}".`)
  }
  const seen = encodingOfHead(head)
  const markBytes = seen !== 'binary' && seen.name === name ? seen.markBytes : 0
  return { name, unit: name.startsWith('utf-16') ? 2 : 1, markBytes, guessed: false }
}

function knownName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** A guess for bytes that are not UTF-8; windows-1252, in which all bytes have a meaning, where nothing better fits. */
export async function guessEncoding(sample: Buffer): Promise<Encoding> {
  // Half a megabyte of tables: loaded when the first such file comes.
  const { detect } = await import('jschardet')
  const found = detect(sample).encoding
  const name = found === null ? undefined : knownName(found)
  const isOther = name !== undefined && !name.startsWith('utf-')
  return { name: isOther ? name : 'windows-1252', unit: 1, markBytes: 0, guessed: true }
}

/** Text of whole characters; undefined where the bytes do not fit the encoding and it was not guessed. */
export function decode(bytes: Uint8Array, { name, guessed }: Encoding): string | undefined {
  try {
    return new TextDecoder(name, { fatal: !guessed, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
