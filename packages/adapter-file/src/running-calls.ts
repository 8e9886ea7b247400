import { setTimeout as sleep } from 'node:timers/promises'

/** The calls of an adapter that run, so that its end is theirs too. */
export interface RunningCalls {
  /** Runs work with a signal that is aborted when the caller stops or the adapter does. */
  run<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  /** Stops what runs and all that comes, and waits for its end, `graceMs` milliseconds at most. */
  stop(graceMs: number): Promise<void>
}

export function runningCalls(): RunningCalls {
  const running = new Map<AbortController, Promise<unknown>>()
  let isStopped = false
  return {
    async run(signal, work) {
      // AbortSignal.any would leave a trace of every call in a signal that lives as long as the adapter.
      const own = new AbortController()
      const stop = (): void => own.abort()
      if (isStopped || signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      const result = work(own.signal)
      running.set(own, result)
      try {
        return await result
      } finally {
        running.delete(own)
        signal.removeEventListener('abort', stop)
      }
    },
    async stop(graceMs) {
      isStopped = true
      for (const own of running.keys()) own.abort()
      const grace = new AbortController()
      const over = sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)
      await Promise.race([Promise.allSettled(running.values()), over])
      grace.abort()
    },
  }
}
