import type { Ports } from '@callgate/spec'

// The global is looked up anew at each use, which is not for free.
const { performance } = globalThis
const origin = performance.timeOrigin

/** The system's time: milliseconds since 1970 that never run backwards. */
export const systemClock: Ports['clock'] = {
  now: () => origin + performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}
