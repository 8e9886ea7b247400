import { ToolError, type AdapterOutput } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { Refused } from '../pipeline/produced.ts'
import { isThrown } from '../results/thrown.ts'

type Outcome = AdapterOutput | ToolError
type RunTogether = (calls: readonly Call[]) => Promise<readonly Outcome[]>

/** Where the entries of a batch wait until each has come or has been refused; then those that came run together. */
export interface Rendezvous {
  /** Waits for the others; resolves with this entry's output, or rejects with its error. */
  join(index: number, call: Call): Promise<AdapterOutput>
  /** The entry will not come; without effect if it came before. */
  leave(index: number): void
}

export function createRendezvous(size: number, runTogether: RunTogether): Rendezvous {
  const arrived = new Map<
    number,
    { call: Call; settle: (outcome: Outcome) => void; fail: (error: Error) => void }
  >()
  const expected = new Set(Array.from({ length: size }, (_, index) => index))

  function startIfComplete(): void {
    if (expected.size > 0 || arrived.size === 0) return
    const inOrder = [...arrived].toSorted(([a], [b]) => a - b).map(([, waiting]) => waiting)
    arrived.clear()
    runTogether(inOrder.map(({ call }) => call)).then(
      (outcomes) => {
        for (const [place, { settle }] of inOrder.entries()) settle(outcomes[place]!)
      },
      (error: unknown) => {
        for (const { fail } of inOrder) fail(isThrown(error, Refused) ? error : asToolError(error))
      },
    )
  }

  return {
    join(index, call) {
      return new Promise((resolve, reject) => {
        arrived.set(index, {
          call,
          settle: (outcome) => (ToolError.isInstance(outcome) ? reject(outcome) : resolve(outcome)),
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

function asToolError(error: unknown): ToolError {
  if (ToolError.isInstance(error)) return error
  return new ToolError({
    code: 'internal',
    message: 'The batch could not be run because of an internal fault.',
    started: 'unknown',
    cause: error,
  })
}
