import type { Ports, ToolId } from '@callgate/spec'

export interface ToolStatistics {
  readonly invocations: number
  readonly succeeded: number
  readonly averageMs: number
  readonly p95Ms: number
}

const keptDurations = 256
/** So many tools are counted; beyond, the one that was first called is forgotten. */
const maxTools = 10_000

/** A call with one of these reached no tool: its name is whatever the model made up. */
const reachedNone: ReadonlySet<string> = new Set([
  'tool_not_found',
  'permission_denied',
  'malformed_call',
  'too_many_calls',
])

interface Tally {
  invocations: number
  succeeded: number
  totalMs: number
  readonly durations: number[]
}

/** Counts per tool in memory (R12.3); the 95th percentile is over the latest 256 calls. */
export function memoryStatistics(): Ports['statistics'] & {
  of(tool: ToolId): ToolStatistics | undefined
} {
  const tallies = new Map<ToolId, Tally>()
  return {
    record(result) {
      if (result.error !== undefined && reachedNone.has(result.error.code)) return
      let tally = tallies.get(result.tool)
      if (tally === undefined) {
        tally = { invocations: 0, succeeded: 0, totalMs: 0, durations: [] }
        tallies.set(result.tool, tally)
        if (tallies.size > maxTools) tallies.delete(tallies.keys().next().value!)
      }
      const ms = result.metadata.durationMs
      tally.durations[tally.invocations % keptDurations] = ms
      tally.invocations++
      tally.totalMs += ms
      if (result.status === 'ok') tally.succeeded++
    },
    of(tool) {
      const tally = tallies.get(tool)
      if (tally === undefined) return undefined
      const sorted = tally.durations.toSorted((a, b) => a - b)
      return {
        invocations: tally.invocations,
        succeeded: tally.succeeded,
        averageMs: tally.totalMs / tally.invocations,
        p95Ms: sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.95) - 1)]!,
      }
    },
  }
}
