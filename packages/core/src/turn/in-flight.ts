import { isPromise, type Maybe } from '../pipeline/maybe.ts'

/** Knows what is still running, so that a gateway can close after it. */
export interface InFlight {
  /** Begins the work, as a promise; what is done at once is never counted. */
  track<T>(begin: () => Maybe<T>): Promise<T>
  /** Resolves when nothing runs. */
  settled(): Promise<void>
}

export function createInFlight(): InFlight {
  let running = 0
  let waiting: (() => void)[] = []
  const done = (): void => {
    running--
    if (running > 0) return
    const all = waiting
    waiting = []
    for (const resolve of all) resolve()
  }
  return {
    track<T>(begin: () => Maybe<T>): Promise<T> {
      let work: Maybe<T>
      try {
        work = begin()
      } catch (error) {
        return Promise.reject(error as Error)
      }
      if (!isPromise(work)) return Promise.resolve(work)
      running++
      work.then(done, done)
      return work
    },
    settled: () =>
      running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
