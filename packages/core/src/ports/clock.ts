import type { Ports } from '@callgate/spec'

/** The system's time: milliseconds since 1970 that never run backwards. */
export const systemClock: Ports['clock'] = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}
