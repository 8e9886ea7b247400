const firstMs = 1000
const lastMs = 60_000
const refusedMs = 600_000

/** Starts a server again by itself, ever more rarely, as long as nobody else would. */
export class Retries {
  #timer: NodeJS.Timeout | undefined
  #ms = firstMs
  readonly #needed: () => boolean
  readonly #start: () => Promise<void>

  constructor(needed: () => boolean, start: () => Promise<void>) {
    this.#needed = needed
    this.#start = start
  }

  /** Tries in a while, where it is needed. */
  later(): void {
    if (!this.#needed()) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.now()
    }, this.#ms)
    this.#timer.unref()
    this.#ms = Math.min(this.#ms * 2, Math.max(lastMs, this.#ms))
  }

  async now(): Promise<void> {
    await this.#start()
    // Also where it was refused to try yet.
    this.later()
  }

  /** It is up: where it goes down, it is tried soon. */
  succeeded(): void {
    this.#ms = firstMs
  }

  /** Its user said no, and must not be asked again and again. */
  refused(): void {
    this.#ms = refusedMs
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
