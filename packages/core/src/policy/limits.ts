import type { Ports, ToolDefinition } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import type { Failure } from '../results/failure.ts'
import { Bulkhead, type Entered, type Release } from './bulkhead.ts'
import { createRateLimits } from './rate-limits.ts'

type Declared = NonNullable<ToolDefinition['limits']>

/** Rate limits per tool over sliding windows, and how many calls of a tool run at once (R10.1). */
export interface Limits {
  /** Whether the call would be refused now; spends nothing. */
  peek(call: Call): Failure | undefined
  /** Spends one of each limit, or refuses and spends nothing. */
  take(call: Call): Failure | undefined
  /** Waits for a place, at most so many milliseconds; gives back what frees it, or why there is none. */
  enter(call: Call, waitMs: number): Entered
}

export function createLimits(
  clock: Ports['clock'],
  forAll: Declared | undefined,
  adapters: { readonly [adapter: string]: number } = {},
): Limits {
  const rates = createRateLimits(clock)
  const bulkheads = new Map<string, Bulkhead>()
  const lines = new Map<Call, Bulkhead>()
  // An adapter may have the name of something that every object inherits.
  const mostOfAdapters = new Map(Object.entries(adapters))
  const declared = (call: Call): Declared | undefined => call.entry!.definition.limits ?? forAll

  function bulkhead(key: string): Bulkhead {
    let found = bulkheads.get(key)
    if (found === undefined) bulkheads.set(key, (found = new Bulkhead(clock, key, lines)))
    return found
  }

  return {
    peek(call) {
      const limits = declared(call)
      return limits === undefined ? undefined : rates.peek(call, limits)
    },
    take(call) {
      const limits = declared(call)
      return limits === undefined ? undefined : rates.take(call, limits)
    },
    enter(call, waitMs) {
      const { id, definition } = call.entry!
      const { adapter } = definition.backend
      const ofTool = declared(call)?.concurrency
      const ofAdapter = mostOfAdapters.get(adapter)
      if (ofTool === undefined && ofAdapter === undefined) return noRelease
      const place = ofTool === undefined ? noRelease : bulkhead(id).enter({ call, waitMs }, ofTool)
      if (ofAdapter === undefined) return place
      const began = clock.now()
      return both(place, () => {
        const left = { call, waitMs: waitMs - (clock.now() - began) }
        return bulkhead(`the adapter ${adapter}`).enter(left, ofAdapter)
      })
    },
  }
}

const noRelease: Release = () => {}

/** A place of the tool first, then one of its adapter; without the second the first is given back. */
async function both(first: Entered, second: () => Entered): Promise<Release | Failure> {
  const ofTool = await first
  if (typeof ofTool !== 'function') return ofTool
  const ofAdapter = await second()
  if (typeof ofAdapter !== 'function') {
    ofTool()
    return ofAdapter
  }
  return () => {
    ofAdapter()
    ofTool()
  }
}
