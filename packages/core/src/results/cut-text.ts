const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).byteLength
}

/**
 * The first and the last part of a text, together at most `maxBytes`, with a line between that says what is left
 * out. Cuts fall between characters (R11.2).
 */
export function headAndTail(text: string, maxBytes: number): { text: string; keptBytes: number } {
  const bytes = encoder.encode(text)
  if (bytes.byteLength <= maxBytes) return { text, keptBytes: bytes.byteLength }
  const headEnd = backToBoundary(bytes, Math.ceil(maxBytes / 2))
  const tailStart = onToBoundary(bytes, bytes.byteLength - Math.floor(maxBytes / 2))
  const left = tailStart - headEnd
  const head = decoder.decode(bytes.subarray(0, headEnd))
  const tail = decoder.decode(bytes.subarray(tailStart))
  return {
    text: `${head}\n[… ${left} bytes left out …]\n${tail}`,
    keptBytes: bytes.byteLength - left,
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
