import type { Ports } from '@callgate/spec'

/** Time that passes only when nothing else is left to do: tests wait for no real millisecond. */
export interface VirtualClock {
  readonly clock: Ports['clock']
  /** Lets timers fire in order of their time until the work has settled. */
  settle<T>(work: Promise<T>): Promise<T>
  /** Lets so many milliseconds pass, with all that happens in them. */
  advance(ms: number): Promise<void>
}

export function createVirtualClock(): VirtualClock {
  let now = 1_000_000
  let sequence = 0
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>()

  /** Fires the earliest timer, if it is due by then; tells whether there was one. */
  function fireNext(until = Infinity): boolean {
    let first: number | undefined
    for (const [id, { at }] of timers) {
      if (first === undefined || at < timers.get(first)!.at) first = id
    }
    if (first === undefined || timers.get(first)!.at > until) return false
    const { at, run } = timers.get(first)!
    timers.delete(first)
    now = Math.max(now, at)
    run()
    return true
  }

  const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  return {
    clock: {
      now: () => now,
      setTimeout(run, ms) {
        timers.set(++sequence, { at: now + ms, run })
        return sequence
      },
      clearTimeout: (timer) => void timers.delete(timer as number),
    },
    async settle(work) {
      let settled = false
      const done = (): void => void (settled = true)
      work.then(done, done)
      for (;;) {
        await otherWork()
        if (settled) return work
        fireNext()
      }
    },
    async advance(ms) {
      const until = now + ms
      do await otherWork()
      while (fireNext(until))
      now = until
    },
  }
}
