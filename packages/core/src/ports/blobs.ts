import type { Ports } from '@callgate/spec'

/** Blobs in memory, the oldest dropped beyond `maxBytes` (default 64 MiB). */
export function memoryBlobs(
  ids: Ports['ids'],
  maxBytes: number = 64 * 1024 * 1024,
): Ports['blobs'] {
  const blobs = new Map<string, Uint8Array>()
  let total = 0
  const keep = (blobId: string, data: Uint8Array): void => {
    blobs.set(blobId, data)
    total += data.byteLength
    for (const [oldest, { byteLength }] of blobs) {
      if (total <= maxBytes || oldest === blobId) break
      blobs.delete(oldest)
      total -= byteLength
    }
  }
  return {
    open() {
      const chunks: Uint8Array[] = []
      let bytes = 0
      return {
        async write(chunk) {
          if (bytes + chunk.byteLength > maxBytes) {
            throw new RangeError(`A blob in memory holds at most ${maxBytes} bytes.`)
          }
          bytes += chunk.byteLength
          chunks.push(chunk.slice())
        },
        async close() {
          const blobId = ids.next('blob')
          keep(blobId, join(chunks, bytes))
          return { blobId, bytes }
        },
      }
    },
    async read(blobId, range) {
      const data = blobs.get(blobId)
      if (data === undefined)
        throw new RangeError(`There is no blob ${blobId}; it may have been dropped.`)
      return data.slice(range.from, range.to)
    },
  }
}

function join(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
