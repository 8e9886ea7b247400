import type { Ports } from '@callgate/spec'

import { bounded } from '../turn/or-stopped.ts'
import type { Stop } from '../turn/stop.ts'
import { mask, type Redactor } from './redact.ts'

const maxRemembered = 10_000
const maxPageBytes = 64 * 1024
/** A store of blobs has so many milliseconds to keep one. */
const keepMs = 10_000
/** And so many after a stop: what is shown is right without it. */
const keepGraceMs = 40

/** Stands for a byte of a secret while a page is cut: a character of one byte that texts do not have. */
const filler = '\u007f'
const fillers = /\u007f+/g

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
  /** With a filler for each byte of a secret, also of one that only begins or ends there: an adapter may have written it. */
  read(blobId: string, from: number, to: number): Promise<Uint8Array>
  /** How a text of what was read is shown. */
  shown(text: string): string
  /** The most bytes that one reading may give: a page must not be shortened itself. */
  readonly pageBytes: number
  /** Whether there was ever anything to read. */
  readonly any: boolean
}

export function createSpills(
  { blobs, clock }: Pick<Ports, 'blobs' | 'clock'>,
  capBytes: number,
  redactor: Redactor,
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
    async read(blobId, from, to) {
      const reach = redactor.reach()
      const start = Math.max(0, from - reach)
      const data = await blobs.read(blobId, { from: start, to: to + reach })
      return redactor.bytes(data, filler).subarray(from - start, to - start)
    },
    shown: (text) => (redactor.reach() === 0 ? text : text.replaceAll(fillers, mask)),
    get any() {
      return owners.size > 0
    },
  }
}
