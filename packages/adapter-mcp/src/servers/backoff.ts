import type { RestartSettings } from '../options.ts'

/** When a server may be started again. Times in milliseconds on one monotonic clock. */
export interface Backoff {
  failed(now: number, uptimeMs: number): void
  started(now: number): void
  /** How long to wait from `now` before the next start. */
  waitMs(now: number): number
}

const startsPerMinute = 10

/**
 * Full-jitter exponential backoff with a budget of starts per minute. The count of failures begins anew after a
 * stable uptime, not at each start, so that a server that dies right after its start does not spin.
 */
export function createBackoff(settings: RestartSettings, random: () => number): Backoff {
  const { initialMs = 1000, maxMs = 60_000, stableMs = 60_000 } = settings
  let failures = 0
  let nextAt = 0
  let starts: number[] = []

  return {
    failed(now, uptimeMs) {
      failures = uptimeMs >= stableMs ? 1 : failures + 1
      nextAt = now + random() * Math.min(maxMs, initialMs * 2 ** (failures - 1))
    },
    started(now) {
      starts = [...starts.filter((at) => now - at < 60_000), now]
    },
    waitMs(now) {
      const oldest = starts.at(-startsPerMinute)
      const budget = oldest === undefined ? 0 : oldest + 60_000 - now
      return Math.max(0, nextAt - now, budget)
    },
  }
}
