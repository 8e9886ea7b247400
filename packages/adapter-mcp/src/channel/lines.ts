import type { Buffer } from 'node:buffer'

const newline = 0x0a

/** Hands on the bytes of a chunk by lines, without their newlines: what is of a line to `keep`, then `end` where it ends. */
export function eachLine(chunk: Buffer, keep: (part: Buffer) => void, end: () => void): void {
  let from = 0
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
    keep(chunk.subarray(from, at))
    end()
    from = at + 1
  }
  if (from < chunk.length) keep(chunk.subarray(from))
}
