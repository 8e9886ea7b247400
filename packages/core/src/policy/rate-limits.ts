import type { Ports, ToolDefinition, ToolId } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { failure, type Failure } from '../results/failure.ts'

/** A burst is what may come within one second. */
const windows = [
  { key: 'burst', ms: 1000, text: 'per second' },
  { key: 'perMinute', ms: 60_000, text: 'per minute' },
  { key: 'perHour', ms: 3_600_000, text: 'per hour' },
] as const
const longestMs = windows[2].ms

/** How often a tool may be called, by window. */
type Rates = Pick<NonNullable<ToolDefinition['limits']>, (typeof windows)[number]['key']>

/** When each tool was called lately, and whether it may be called again: sliding windows (R10.1). */
export interface RateLimits {
  /** Whether the call would be refused now; spends nothing. */
  peek(call: Call, rates: Rates): Failure | undefined
  /** Spends one of each rate, or refuses and spends nothing. */
  take(call: Call, rates: Rates): Failure | undefined
}

export function createRateLimits(clock: Ports['clock']): RateLimits {
  const starts = new Map<ToolId, number[]>()

  function peek(call: Call, rates: Rates): Failure | undefined {
    const times = starts.get(call.entry!.id)
    if (times === undefined) return undefined
    const now = clock.now()
    for (const { key, ms, text } of windows) {
      const limit = rates[key]
      const oldest = limit === undefined ? undefined : times[times.length - limit]
      if (limit === undefined || oldest === undefined || oldest <= now - ms) continue
      const retryAfterMs = Math.ceil(oldest + ms - now)
      return failure('rate_limited', `${call.toolId} may be called ${limit} times ${text}.`, {
        rule: key,
        retryAfterMs,
        hint: `Try again in ${Math.ceil(retryAfterMs / 1000)} s, or go on with other work.`,
      })
    }
    return undefined
  }

  /** Not where a tool goes: one that comes back within the hour has been called as often as before. */
  function forgetOld(now: number): void {
    for (const [id, times] of starts) if (times.at(-1)! <= now - longestMs) starts.delete(id)
  }

  return {
    peek,
    take(call, rates) {
      if (windows.every(({ key }) => rates[key] === undefined)) return undefined
      const refused = peek(call, rates)
      if (refused !== undefined) return refused
      const now = clock.now()
      let times = starts.get(call.entry!.id)
      if (times === undefined) {
        forgetOld(now)
        starts.set(call.entry!.id, (times = []))
      }
      times.push(now)
      const most = Math.max(rates.burst ?? 0, rates.perMinute ?? 0, rates.perHour ?? 0)
      if (times.length > most * 2) times.splice(0, times.length - most)
      return undefined
    },
  }
}
