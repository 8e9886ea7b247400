/** Whether the host has a list of the tools of a server, and who waits until it has the next one. */
export interface HandOver {
  /** Whether the host has a list, or calls the server without one. */
  readonly known: boolean
  /** A declared tool is called whether or not anybody asked for a list. */
  called(): void
  /** The tools go to the host, which takes a list in as soon as it has it. */
  given(): void
  /** Resolves when the host has its next list. */
  next(): Promise<void>
}

/** `done` is called whenever the host has taken a list in. */
export function createHandOver(done: () => void): HandOver {
  const awaited: (() => void)[] = []
  let known = false
  return {
    get known() {
      return known
    },
    called: () => {
      known = true
    },
    given: () => {
      known = true
      // Told in the next turn of the event loop: then they can be called.
      setImmediate(() => {
        done()
        for (const resolve of awaited.splice(0)) resolve()
      })
    },
    next: () => new Promise((resolve) => awaited.push(resolve)),
  }
}
