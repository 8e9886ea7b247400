/** Bytes of one output that are kept whole (R8.1). */
const wholeBytes = 1024 ** 2
/** Bytes kept of either end of a longer one. */
const edgeBytes = 256 * 1024

/** One output as far as it was kept. */
export type Captured =
  | { readonly whole: Uint8Array; readonly totalBytes: number }
  | { readonly head: Uint8Array; readonly tail: Uint8Array; readonly totalBytes: number }

/** Keeps the whole of a short output, and both ends of a long one (B9). */
export interface Capture {
  /**
   * Gives back what has to be put elsewhere now, because the output is too long to be kept: everything so far,
   * and from then on each chunk.
   */
  add(chunk: Uint8Array): Uint8Array | undefined
  readonly totalBytes: number
  result(): Captured
}

/** Memory is bounded by bytes, not by chunks: a program may write them one by one. */
export function capture(): Capture {
  // Most programs write little, and many nothing to one of both.
  let kept = Buffer.alloc(0)
  let ring: Buffer | undefined
  let totalBytes = 0

  const addToRing = (bytes: Uint8Array, tail: Buffer): void => {
    const last = bytes.subarray(Math.max(0, bytes.length - edgeBytes))
    const at = (totalBytes - last.length) % edgeBytes
    const first = last.subarray(0, edgeBytes - at)
    tail.set(first, at)
    tail.set(last.subarray(first.length), 0)
  }
  return {
    add: (chunk) => {
      const before = totalBytes
      totalBytes += chunk.length
      if (ring !== undefined) {
        addToRing(chunk, ring)
        return chunk
      }
      kept = withRoom(kept, totalBytes)
      kept.set(chunk, before)
      if (totalBytes <= wholeBytes) return undefined
      const all = kept.subarray(0, totalBytes)
      ring = Buffer.alloc(edgeBytes)
      addToRing(all, ring)
      kept = Buffer.from(all.subarray(0, edgeBytes))
      return all
    },
    get totalBytes() {
      return totalBytes
    },
    result: () => {
      if (ring === undefined) return { whole: kept.subarray(0, totalBytes), totalBytes }
      const oldest = totalBytes % edgeBytes
      const tail = Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)])
      return { head: kept, tail, totalBytes }
    },
  }
}

function withRoom(buffer: Buffer<ArrayBuffer>, bytes: number): Buffer<ArrayBuffer> {
  if (buffer.length >= bytes) return buffer
  const larger = Buffer.alloc(Math.max(bytes, buffer.length * 2))
  buffer.copy(larger)
  return larger
}
