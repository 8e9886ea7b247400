import type { Answerer } from './callbacks.ts'
import type { SamplingHandler } from './types.ts'

const perMinute = 30
const atOnce = 4

/** Puts a server's request for a completion to the host's handler, within a budget: a server in a loop must not spend the host's tokens. */
export function createSampling(handler: SamplingHandler): Answerer {
  let recent: number[] = []
  let running = 0
  return async (server, params, signal) => {
    const now = Date.now()
    recent = recent.filter((at) => now - at < 60_000)
    if (recent.length >= perMinute || running >= atOnce) {
      throw new Error('Too many completions were asked for.')
    }
    recent.push(now)
    running += 1
    try {
      return await handler({ server, params, signal })
    } finally {
      running -= 1
    }
  }
}
