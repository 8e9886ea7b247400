import type { Ports } from '@callgate/spec'

import type { ToolEntry } from '../registry/tool-entry.ts'
import { failure, type Failure } from '../results/failure.ts'

/** So many backend faults in a row open the circuit, for so long. */
const openAfter = 5
const openMs = 30_000

const backendFaults: ReadonlySet<string> = new Set([
  'backend_unavailable',
  'backend_error',
  'timeout',
  'outcome_unknown',
  // Its own limit: to leave it alone is what it asks for.
  'rate_limited',
  'overloaded',
])

interface Circuit {
  faults: number
  openedAt: number
  probing: boolean
}

/** Circuit breakers per tool (R10.1). Only faults of the backend count, and only what worked ends their row. */
export interface Breakers {
  check(entry: ToolEntry): Failure | undefined
  /** As `check`, and takes the one probe of a half-open circuit. */
  enter(entry: ToolEntry): Failure | undefined
  record(entry: ToolEntry, failed: Failure | undefined): void
}

export function createBreakers(clock: Ports['clock']): Breakers {
  const circuits = new Map<string, Circuit>()

  function check(entry: ToolEntry): Failure | undefined {
    const circuit = circuits.get(entry.id)
    if (circuit === undefined || circuit.faults < openAfter) return undefined
    const left = circuit.openedAt + openMs - clock.now()
    if (left <= 0 && !circuit.probing) return undefined
    return failure(
      'circuit_open',
      `The backend of ${entry.id} failed ${circuit.faults} times in a row and is left alone.`,
      {
        retryAfterMs: Math.max(1000, Math.ceil(left)),
        hint: 'Use another tool, or try again later.',
      },
    )
  }

  return {
    check,
    enter(entry) {
      const refused = check(entry)
      const circuit = circuits.get(entry.id)
      if (refused === undefined && circuit !== undefined && circuit.faults >= openAfter)
        circuit.probing = true
      return refused
    },
    record(entry, failed) {
      if (failed === undefined) {
        circuits.delete(entry.id)
        return
      }
      if (failed.ours === true || !backendFaults.has(failed.code)) {
        // A tool that says no, a guard, a stop: neither a fault nor a success. It ends the probe; the next call is one.
        const probed = circuits.get(entry.id)
        if (probed !== undefined) probed.probing = false
        return
      }
      const circuit = circuits.get(entry.id) ?? { faults: 0, openedAt: 0, probing: false }
      circuits.set(entry.id, circuit)
      circuit.faults++
      circuit.probing = false
      if (circuit.faults >= openAfter) circuit.openedAt = clock.now()
    },
  }
}
