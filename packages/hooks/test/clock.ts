import type { HookClock } from '../src/index.ts'

/** Time that passes when told to. */
export function handClock(): HookClock & { advance(ms: number): void; readonly armed: number } {
  let now = 0
  let sequence = 0
  let armed = 0
  const timers = new Map<number, { at: number; run: () => void }>()
  return {
    now: () => now,
    setTimeout(run, ms) {
      armed++
      timers.set(++sequence, { at: now + ms, run })
      return sequence
    },
    clearTimeout: (timer) => void timers.delete(timer as number),
    advance(ms) {
      now += ms
      for (const [id, timer] of timers) {
        if (timer.at > now) continue
        timers.delete(id)
        timer.run()
      }
    },
    /** How many timers were ever set. */
    get armed() {
      return armed
    },
  }
}
