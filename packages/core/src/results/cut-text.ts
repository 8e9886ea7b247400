const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A short text is counted where it is, without bytes being made of it. */
const countedLength = 200

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return text.length <= countedLength && isAscii(text)
    ? text.length
    : encoder.encode(text).byteLength
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

/** The first part of a text, at most `maxBytes` of UTF-8, without a part of a character. */
export function upToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const bytes = encoder.encode(text.slice(0, maxBytes))
  return bytes.byteLength <= maxBytes && text.length <= maxBytes
    ? text
    : decoder.decode(bytes.subarray(0, backToBoundary(bytes, maxBytes)))
}

/** The first UTF-16 units of a text, at most so many, without half of a character: half of one is refused by readers of JSON. */
export function headUnits(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

/** What is no name of a tool may be of any length, and comes back in messages, results and the audit. */
export const maxName = 200

/** Characters of what a hook says to the model or to a person. */
export const maxMessage = 10_000

/** A text of which no more than so many UTF-16 units are shown, and an ellipsis where there were more. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${headUnits(text, most)}…` : text
}

/**
 * The first and the last part of a text, together at most `maxBytes`, with a line between that says what is left
 * out. Cuts fall between characters (R11.2). `size` is that of the text in bytes, where it is known.
 */
export function headAndTail(
  text: string,
  maxBytes: number,
  size: number = byteLength(text),
): { text: string; keptBytes: number } {
  if (size <= maxBytes) return { text, keptBytes: size }
  const headBytes = Math.ceil(maxBytes / 2)
  const tailBytes = Math.floor(maxBytes / 2)
  // No character has less than one byte; one more, so that no pair of surrogates is torn where it would be shown.
  const head = encoder.encode(text.slice(0, headBytes + 1))
  const tail = encoder.encode(text.slice(Math.max(0, text.length - tailBytes - 1)))
  const headEnd = backToBoundary(head, headBytes)
  const tailStart = onToBoundary(tail, Math.max(0, tail.byteLength - tailBytes))
  const keptBytes = headEnd + tail.byteLength - tailStart
  const shown = [head.subarray(0, headEnd), tail.subarray(tailStart)].map((part) =>
    decoder.decode(part),
  )
  return {
    text: `${shown[0]}\n[… ${size - keptBytes} bytes left out …]\n${shown[1]}`,
    keptBytes,
  }
}

// In UTF-8 a byte of the form 10xxxxxx continues a character.
export function backToBoundary(bytes: Uint8Array, at: number): number {
  let index = at
  while (index > 0 && (bytes[index]! & 0xc0) === 0x80) index--
  return index
}

export function onToBoundary(bytes: Uint8Array, at: number): number {
  let index = at
  while (index < bytes.byteLength && (bytes[index]! & 0xc0) === 0x80) index++
  return index
}
