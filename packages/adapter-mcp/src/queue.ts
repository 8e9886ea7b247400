/** Runs work when all that was given before for the same key is over, be it with an error. */
export type Queue = <T>(key: string, run: () => Promise<T>) => Promise<T>

/** One at a time for each key. */
export function createQueue(): Queue {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(run, run)
    last.set(
      key,
      mine.catch(() => undefined),
    )
    return mine
  }
}
