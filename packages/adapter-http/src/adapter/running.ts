/** The calls of an adapter that are under way. */
export interface Running {
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing runs any more, or after `ms`. */
  settle(ms: number): Promise<void>
}

export function createRunning(): Running {
  const running = new Set<Promise<unknown>>()
  return {
    track: async (work) => {
      running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    },
    settle: async (ms) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
      })
      await Promise.race([Promise.allSettled([...running]), late])
      clearTimeout(timer)
    },
  }
}
