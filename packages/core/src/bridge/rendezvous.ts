import { ToolError, type AdapterOutput } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { Refused } from '../pipeline/refused.ts'
import { isThrown } from '../results/thrown.ts'

/** What came of one entry. */
export type Outcome = AdapterOutput | ToolError | Refused
type RunTogether = (calls: readonly Call[]) => Promise<readonly Outcome[]>

interface Waiting {
  readonly call: Call
  readonly settle: (outcome: Outcome) => void
  readonly fail: (error: Error) => void
}

/**
 * Where the entries of a batch wait until each has come or has been refused; then those that came run together, for each
 * adapter those of its own.
 */
export interface Rendezvous {
  /** Waits for the others; resolves with this entry's output, or rejects with its error. */
  join(index: number, call: Call): Promise<AdapterOutput>
  /** The entry will not come; without effect if it came before. */
  leave(index: number): void
}

export function createRendezvous(size: number, runTogether: RunTogether): Rendezvous {
  const arrived = new Map<number, Waiting>()
  const expected = new Set(Array.from({ length: size }, (_, index) => index))

  function startIfComplete(): void {
    if (expected.size > 0 || arrived.size === 0) return
    const inOrder = [...arrived].toSorted(([a], [b]) => a - b).map(([, waiting]) => waiting)
    arrived.clear()
    for (const group of byAdapter(inOrder)) run(group, runTogether)
  }

  return {
    join(index, call) {
      return new Promise((resolve, reject) => {
        arrived.set(index, {
          call,
          settle: (outcome) => (isFailed(outcome) ? reject(outcome) : resolve(outcome)),
          fail: reject,
        })
        expected.delete(index)
        startIfComplete()
      })
    },
    leave(index) {
      if (expected.delete(index)) startIfComplete()
    },
  }
}

function isFailed(outcome: Outcome): outcome is ToolError | Refused {
  return ToolError.isInstance(outcome) || isThrown(outcome, Refused)
}

function byAdapter(waiting: readonly Waiting[]): Iterable<readonly Waiting[]> {
  const groups = new Map<string, Waiting[]>()
  for (const one of waiting) {
    const { adapter } = one.call.entry!.definition.backend
    groups.set(adapter, [...(groups.get(adapter) ?? []), one])
  }
  return groups.values()
}

function run(group: readonly Waiting[], runTogether: RunTogether): void {
  runTogether(group.map(({ call }) => call)).then(
    (outcomes) => {
      for (const [place, { settle }] of group.entries()) settle(outcomes[place]!)
    },
    (error: unknown) => {
      for (const { fail } of group) fail(asFailed(error))
    },
  )
}

/** What came of the entries of a batch that failed as a whole. */
export function asFailed(error: unknown): ToolError | Refused {
  if (ToolError.isInstance(error) || isThrown(error, Refused)) return error
  return new ToolError({
    code: 'internal',
    message: 'The batch could not be run because of an internal fault.',
    started: 'unknown',
    cause: error,
  })
}
