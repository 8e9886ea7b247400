import type { Redactor } from './redact.ts'

/** A piece of a text, and the name of the stream it belongs to. */
export type Piece = readonly [stream: string | undefined, text: string]

/**
 * Texts that come in pieces, without secrets: what at the end of a piece may be the beginning of one is held back until
 * the next piece of the same stream, or the end.
 */
export class HeldTexts {
  readonly #redactor: Redactor
  readonly #held = new Map<string | undefined, string>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** What of a piece can be shown now, behind what was held back before it. */
  next(stream: string | undefined, piece: string): string {
    const text = this.#redactor.text((this.#held.get(stream) ?? '') + piece)
    const end = this.#redactor.open(text)
    this.#held.delete(stream)
    if (end < text.length) this.#held.set(stream, text.slice(end))
    return text.slice(0, end)
  }

  /** Takes out what is held back, the oldest first, until so many streams are left that have something. */
  release(left: number): readonly Piece[] {
    const released = [...this.#held].slice(0, Math.max(0, this.#held.size - left))
    for (const [stream] of released) this.#held.delete(stream)
    return released
  }
}
