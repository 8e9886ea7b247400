import { onTestFinished, vi } from 'vitest'

/**
 * From now on, until the test ends, timers can be turned forward by milliseconds; those that are due then run, also those
 * that are set meanwhile. Beside that, time passes as always.
 */
export function turnableClock(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  return async (ms) => {
    await vi.advanceTimersByTimeAsync(ms)
  }
}
