import { closeSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'

import { throwIfAborted } from '../guard/refuse.ts'

const readAsync = promisify(read)

/** Above this a read is handed to the thread pool: below, that alone would cost more than the reading. */
export const syncBytes = 131_072
const chunkBytes = 1_048_576

/** Reads from a place in a file; fewer bytes come back where the file ends. */
export async function readAt(fd: number, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count =
      length <= syncBytes
        ? readSync(fd, buffer, filled, length - filled, offset + filled)
        : (await readAsync(fd, buffer, filled, length - filled, offset + filled)).bytesRead
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

/** The chunks of a file from a place on, one after the other, until the signal stops it. */
export async function* chunksFrom(
  fd: number,
  start: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let offset = start; ;) {
    throwIfAborted(signal)
    const chunk = await readAt(fd, offset, chunkBytes)
    if (chunk.length > 0) yield chunk
    if (chunk.length < chunkBytes) return
    offset += chunk.length
  }
}

/** Runs work with a descriptor and closes it. */
export async function withDescriptor<Result>(
  fd: number,
  work: (fd: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(fd)
  } finally {
    closeSync(fd)
  }
}
