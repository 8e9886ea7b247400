import type { Ports } from '@callgate/spec'

import { bounded } from '../turn/or-stopped.ts'
import type { Stop } from '../turn/stop.ts'

const maxRemembered = 10_000
const maxPageBytes = 64 * 1024
/** A store of blobs has so many milliseconds to keep one. */
const keepMs = 10_000
/** And so many after a stop: what is shown is right without it. */
const keepGraceMs = 40

/**
 * What was too long for the model and went to blobs. A blob is read by the session that it was made for, and by nobody
 * else: an id can be guessed.
 */
export interface Spills {
  /** Keeps a text whole; undefined where it cannot be kept. */
  keep(text: string, sessionId: string | undefined, stop: Stop): Promise<string | undefined>
  /** For a tool that streams its output. */
  open(
    options: { readonly mediaType: string; readonly name?: string },
    sessionId: string | undefined,
  ): ReturnType<Ports['blobs']['open']>
  mayRead(blobId: string, sessionId: string | undefined): boolean
  read(blobId: string, from: number, to: number): Promise<Uint8Array>
  /** The most bytes that one reading may give: a page must not be shortened itself. */
  readonly pageBytes: number
  /** Whether there was ever anything to read. */
  readonly any: boolean
}

export function createSpills(
  { blobs, clock }: Pick<Ports, 'blobs' | 'clock'>,
  capBytes: number,
): Spills {
  const owners = new Map<string, string | undefined>()

  function remember(blobId: string, sessionId: string | undefined): void {
    owners.set(blobId, sessionId)
    if (owners.size > maxRemembered) owners.delete(owners.keys().next().value!)
  }

  function open(
    options: { readonly mediaType: string; readonly name?: string },
    sessionId: string | undefined,
  ): ReturnType<Ports['blobs']['open']> {
    const blob = blobs.open(options)
    return {
      write: (chunk) => blob.write(chunk),
      async close() {
        const closed = await blob.close()
        remember(closed.blobId, sessionId)
        return closed
      },
    }
  }

  /** @throws what the store throws, and GivenUp where it does not answer. */
  async function write(text: string, sessionId: string | undefined): Promise<string> {
    const blob = open({ mediaType: 'text/plain; charset=utf-8' }, sessionId)
    await blob.write(new TextEncoder().encode(text))
    return (await blob.close()).blobId
  }

  return {
    // JSON around the text takes room too, and escapes can double it.
    pageBytes: Math.max(1, Math.min(maxPageBytes, Math.floor(capBytes / 3))),
    open,
    async keep(text, sessionId, stop) {
      try {
        const bounds = { what: 'the store of blobs', ms: keepMs, clock, stop, graceMs: keepGraceMs }
        return await bounded(write(text, sessionId), bounds)
      } catch {
        // The whole cannot be kept; what is shown is still right.
        return undefined
      }
    },
    mayRead: (blobId, sessionId) => owners.has(blobId) && owners.get(blobId) === sessionId,
    read: (blobId, from, to) => blobs.read(blobId, { from, to }),
    get any() {
      return owners.size > 0
    },
  }
}
