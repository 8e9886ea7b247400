import type { Captured } from './capture.ts'

export interface Decoded {
  readonly text: string
  /** Bytes that the text leaves out. */
  readonly omittedBytes: number
  /** Bytes that are no text of the encoding were replaced by U+FFFD. */
  readonly isLossy: boolean
}

/** Makes text of an output; `marker` is put between both ends when the middle is left out. */
export function decodeCaptured(
  captured: Captured,
  encoding: string,
  marker: (omittedBytes: number) => string,
): Decoded {
  if ('whole' in captured) return { ...decode(captured.whole, encoding), omittedBytes: 0 }
  const isUtf8 = encoding === 'utf-8'
  const headBytes = isUtf8 ? dropPartialEnd(captured.head) : captured.head
  const tailBytes = isUtf8 ? dropPartialStart(captured.tail) : captured.tail
  const omittedBytes = captured.totalBytes - headBytes.length - tailBytes.length
  const head = decode(headBytes, encoding)
  const tail = decode(tailBytes, encoding)
  return {
    text: `${head.text}\n${marker(omittedBytes)}\n${tail.text}`,
    omittedBytes,
    isLossy: head.isLossy || tail.isLossy,
  }
}

function decode(bytes: Uint8Array, encoding: string): { text: string; isLossy: boolean } {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, isLossy: false }
  } catch {
    return { text: new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes), isLossy: true }
  }
}

/** Without the bytes of a UTF-8 character that goes on after the end. */
function dropPartialEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes
    }
  }
  return bytes
}

/** Without the bytes of a UTF-8 character that began before the start. */
function dropPartialStart(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
