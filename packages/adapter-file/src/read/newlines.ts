import type { Encoding } from './encoding.ts'

/**
 * Where the line that begins at `from` ends in a chunk: the index behind its LF, or -1.
 *
 * In every encoding of one byte a unit (also GBK, Big5, Shift_JIS) 0A is no part of another character.
 * The chunk begins at a whole unit.
 */
export function endOfLine(chunk: Buffer, from: number, { name, unit }: Encoding): number {
  if (unit === 1) return chunk.indexOf(10, from) + 1 || -1
  const [high, low] = name === 'utf-16be' ? [0, 1] : [1, 0]
  let at = chunk.indexOf(10, from)
  while (at !== -1) {
    if (at % 2 === low && chunk[at - low + high] === 0) return at - low + 2
    at = chunk.indexOf(10, at + 1)
  }
  return -1
}

/** The longest beginning of some bytes that ends with a whole character, `maxBytes` at most. */
export function wholeCharacters(bytes: Buffer, maxBytes: number, encoding: Encoding): number {
  if (bytes.length <= maxBytes) return bytes.length
  if (encoding.unit === 2) return wholeUtf16(bytes, maxBytes - (maxBytes % 2), encoding.name)
  if (encoding.name !== 'utf-8') return maxBytes
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  // Not UTF-8 after all.
  return maxBytes - end > 3 ? maxBytes : end
}

function wholeUtf16(bytes: Buffer, end: number, name: string): number {
  const unit = name === 'utf-16be' ? bytes.readUInt16BE(end - 2) : bytes.readUInt16LE(end - 2)
  return (unit & 0xfc00) === 0xd800 ? end - 2 : end
}
