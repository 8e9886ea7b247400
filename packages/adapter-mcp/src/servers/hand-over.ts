/** Whether the host has a list of the tools of a server, and who waits until it has the next one. */
export class HandOver {
  #known = false
  readonly #awaited: (() => void)[] = []
  readonly #done: () => void

  /** `done` is called whenever the host has taken a list in. */
  constructor(done: () => void) {
    this.#done = done
  }

  /** Whether the host has a list, or calls the server without one. */
  get known(): boolean {
    return this.#known
  }

  /** A declared tool is called whether or not anybody asked for a list. */
  called(): void {
    this.#known = true
  }

  /** The tools go to the host, which takes a list in as soon as it has it. */
  given(): void {
    this.#known = true
    // Told in the next turn of the event loop: then they can be called.
    setImmediate(() => {
      this.#done()
      for (const resolve of this.#awaited.splice(0)) resolve()
    })
  }

  /** Resolves when the host has its next list. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#awaited.push(resolve))
  }
}
