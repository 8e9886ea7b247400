/** The total time of a call over all the requests that it takes; time in which a human has the word does not count. */
export interface CallClock {
  /** Milliseconds; 0 and less when it is over. */
  left(): number
  /** Fires when it is over. */
  readonly signal: AbortSignal
  stop(): void
}

/** @param humanMs how long humans had the word so far, as the connection counts it. */
export function createCallClock(totalMs: number, humanMs: () => number): CallClock {
  const startedAt = performance.now()
  let counted = humanMs()
  let human = 0
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined

  /** A connection that is made anew counts from 0 again. */
  function left(): number {
    const now = humanMs()
    human += Math.max(0, now - counted)
    counted = now
    return totalMs - (performance.now() - startedAt) + human
  }

  function arm(): void {
    timer = setTimeout(
      () => {
        if (left() > 0) arm()
        else over.abort(new Error('the time is over'))
      },
      Math.max(1, left()),
    )
    timer.unref()
  }

  return {
    left,
    get signal() {
      if (timer === undefined) arm()
      return over.signal
    },
    stop: () => clearTimeout(timer),
  }
}
