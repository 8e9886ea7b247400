import { finished, Transform, type TransformCallback } from 'node:stream'
import { createInflate, createInflateRaw, type InflateRaw } from 'node:zlib'

/**
 * Undoes the coding "deflate": a zlib stream (RFC 9110 section 8.4.1.2), or the bare deflate stream within one, which
 * some servers send under this name. The first byte tells: of a zlib stream its low half is 8 (RFC 1950 section 2.2).
 */
export class Inflater extends Transform {
  #inner: InflateRaw | undefined

  override _transform(chunk: Uint8Array, _: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#open(((chunk[0] ?? 0) & 0x0f) === 8)
    // Done when all of it is undone, which waits for the reader.
    this.#inner.write(chunk, done)
  }

  override _flush(done: TransformCallback): void {
    // Servers name a coding also where they send nothing at all.
    if (this.#inner === undefined) done()
    else finished(this.#inner.end(), done)
  }

  override _read(size: number): void {
    this.#inner?.resume()
    // oxlint-disable-next-line no-underscore-dangle -- the name that streams give to it
    super._read(size)
  }

  override _destroy(cause: Error | null, done: (cause: Error | null) => void): void {
    this.#inner?.destroy()
    done(cause)
  }

  #open(isZlib: boolean): InflateRaw {
    const inner = isZlib ? createInflate() : createInflateRaw()
    inner.on('error', (cause) => this.destroy(cause))
    inner.on('data', (piece: Uint8Array) => {
      if (!this.push(piece)) inner.pause()
    })
    return inner
  }
}
