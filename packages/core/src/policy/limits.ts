import type { Ports, ToolDefinition, ToolId } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { failure, type Failure } from '../results/failure.ts'

type Declared = NonNullable<ToolDefinition['limits']>

/** A burst is what may come within one second. */
const windows = [
  { key: 'burst', ms: 1000, text: 'per second' },
  { key: 'perMinute', ms: 60_000, text: 'per minute' },
  { key: 'perHour', ms: 3_600_000, text: 'per hour' },
] as const

const maxWaiting = 1000

/** Rate limits per tool over sliding windows, and how many calls of a tool run at once (R10.1). */
export interface Limits {
  /** Whether the call would be refused now; spends nothing. */
  peek(call: Call): Failure | undefined
  /** Spends one of each limit, or refuses and spends nothing. */
  take(call: Call): Failure | undefined
  /** Waits for a place, at most so many milliseconds; gives back what frees it, or why there is none. */
  enter(call: Call, waitMs: number): Entered
}

export type Release = () => void

interface Bulkhead {
  running: number
  readonly waiting: (() => void)[]
}

export function createLimits(
  clock: Ports['clock'],
  forAll: Declared | undefined,
  adapters: { readonly [adapter: string]: number } = {},
): Limits {
  const starts = new Map<ToolId, number[]>()
  const bulkheads = new Map<string, Bulkhead>()
  const declared = (call: Call): Declared | undefined => call.entry!.definition.limits ?? forAll

  function peek(call: Call): Failure | undefined {
    const limits = declared(call)
    const times = limits === undefined ? undefined : starts.get(call.entry!.id)
    if (limits === undefined || times === undefined) return undefined
    const now = clock.now()
    for (const { key, ms, text } of windows) {
      const limit = limits[key]
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

  return {
    peek,
    take(call) {
      const limits = declared(call)
      if (limits === undefined || windows.every(({ key }) => limits[key] === undefined))
        return undefined
      const refused = peek(call)
      if (refused !== undefined) return refused
      const times = starts.get(call.entry!.id) ?? []
      starts.set(call.entry!.id, times)
      times.push(clock.now())
      const most = Math.max(limits.burst ?? 0, limits.perMinute ?? 0, limits.perHour ?? 0)
      if (times.length > most * 2) times.splice(0, times.length - most)
      return undefined
    },
    enter(call, waitMs) {
      const { id, definition } = call.entry!
      const { adapter } = definition.backend
      const ofTool = declared(call)?.concurrency
      const ofAdapter = adapters[adapter]
      if (ofTool === undefined && ofAdapter === undefined) return noRelease
      const place = ofTool === undefined ? noRelease : enterBulkhead({ call, waitMs }, id, ofTool)
      return ofAdapter === undefined
        ? place
        : both({ call, waitMs }, place, `adapter ${adapter}`, ofAdapter)
    },
  }

  function enterBulkhead(waiter: Waiter, key: string, most: number): Entered {
    const bulkhead = bulkheads.get(key) ?? { running: 0, waiting: [] }
    bulkheads.set(key, bulkhead)
    const release = releaseOnce(bulkhead)
    if (bulkhead.running < most) {
      bulkhead.running++
      return release
    }
    if (bulkhead.waiting.length >= maxWaiting) {
      return failure('overloaded', `Too many calls of ${waiter.call.toolId} are waiting.`, {
        hint: 'Try again later.',
      })
    }
    return wait(waiter, bulkhead, release)
  }

  /** A place of the tool first, then one of its adapter; without the second the first is given back. */
  async function both(
    waiter: Waiter,
    first: Entered,
    key: string,
    most: number,
  ): Promise<Release | Failure> {
    const ofTool = await first
    if (typeof ofTool !== 'function') return ofTool
    const ofAdapter = await enterBulkhead(waiter, key, most)
    if (typeof ofAdapter !== 'function') {
      ofTool()
      return ofAdapter
    }
    return () => {
      ofAdapter()
      ofTool()
    }
  }

  function wait(
    { call, waitMs }: Waiter,
    bulkhead: Bulkhead,
    release: Release,
  ): Promise<Release | Failure> {
    return new Promise((resolve) => {
      const leave = (answer: Release | Failure): void => {
        if (timer !== undefined) clock.clearTimeout(timer)
        call.stop.forget(stopped)
        const place = bulkhead.waiting.indexOf(start)
        if (place !== -1) bulkhead.waiting.splice(place, 1)
        resolve(answer)
      }
      const start = (): void => leave(release)
      bulkhead.waiting.push(start)
      const stopped = {
        onStop: () => leave(failure('cancelled', 'The call was stopped before it started.')),
      }
      call.stop.tell(stopped)
      const timer = Number.isFinite(waitMs)
        ? clock.setTimeout(() => leave(lateInLine(call)), waitMs)
        : undefined
    })
  }
}

/** A call in line, with the milliseconds it may wait; Infinity without a deadline. */
interface Waiter {
  readonly call: Call
  readonly waitMs: number
}

type Entered = Release | Failure | Promise<Release | Failure>

const noRelease: Release = () => {}

function releaseOnce(bulkhead: Bulkhead): Release {
  let released = false
  return () => {
    if (released) return
    released = true
    const next = bulkhead.waiting.shift()
    // The place goes to the next in line, so the number of those that run stays.
    if (next === undefined) bulkhead.running--
    else next()
  }
}

function lateInLine(call: Call): Failure {
  return failure(
    'timeout',
    `${call.toolId} did not get its turn before the deadline of the call.`,
    {
      hint: 'Others of its kind are running. Try again later.',
    },
  )
}
