import { StringDecoder } from 'node:string_decoder'

/** The last bytes that a server wrote to stderr. */
export interface StderrRing {
  add(chunk: Buffer): void
  /** The end of the text, at most `lines` lines. */
  tail(lines: number): string
}

/** Keeps the last `capacity` bytes; the stream itself is always read, since a full pipe would block the server. */
export function createStderrRing(capacity: number, onLine: (line: string) => void): StderrRing {
  let chunks: Buffer[] = []
  let size = 0
  let partial = ''
  const decoder = new StringDecoder('utf8')

  function emit(text: string): void {
    const lines = (partial + text).split('\n')
    // A line without an end must not grow for ever.
    partial = (lines.pop() ?? '').slice(-capacity)
    for (const line of lines) onLine(line)
  }

  return {
    add(chunk) {
      chunks.push(chunk.length > capacity ? chunk.subarray(-capacity) : chunk)
      size += Math.min(chunk.length, capacity)
      if (size > 2 * capacity) {
        chunks = [Buffer.concat(chunks).subarray(-capacity)]
        size = capacity
      }
      emit(decoder.write(chunk))
    },
    tail(lines) {
      const text = Buffer.concat(chunks).subarray(-capacity).toString('utf8').trimEnd()
      return text.split('\n').slice(-lines).join('\n')
    },
  }
}
