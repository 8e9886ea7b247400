import type { Stats } from 'node:fs'

import { openSpot, type Spot } from '../guard/parent.ts'
import { throwIfAborted } from '../guard/refuse.ts'
import { checkReplaceable } from '../guard/regular-file.ts'
import type { OperationCall } from '../operations/operation.ts'
import { parsePath } from '../path/parse-path.ts'
import { inTurn, inTurnOrStop, limiter } from './locks.ts'

// Each holds three descriptors, and the thread pool has four threads.
const writers = limiter(16)

export interface ChangeOptions {
  readonly call: OperationCall
  /** Name of the parameter with the path of the file that is changed. */
  readonly parameter: string
  readonly create: boolean
}

/**
 * Runs work on the place of a file while no other call changes it (C13).
 *
 * The work gets the spot, what is there now (a file with one name, or undefined), and the path for the answer.
 */
export async function changeFile<Result>(
  { call, parameter, create }: ChangeOptions,
  work: (spot: Spot, before: Stats | undefined, path: string) => Promise<Result>,
): Promise<Result> {
  const path = parsePath(call.args[parameter], parameter)
  const { root, context } = call
  return inTurnOrStop(context.signal, (begin) =>
    writers(async () => {
      throwIfAborted(context.signal)
      const spot = openSpot({ root, path, parameter, create })
      try {
        return await inTurn(lockKey(spot), () =>
          begin(async () => {
            const before = spot.look()
            if (before !== undefined) checkReplaceable(before, parameter)
            return work(spot, before, path.text)
          }),
        )
      } finally {
        spot.folder.close()
      }
    }),
  )
}

/** One key for a file, whichever root and adapter reaches it. */
export function lockKey({ folder, name }: Spot): string {
  const { dev, ino } = folder.stat
  return `${dev}:${ino}/${name.normalize('NFC').toLowerCase()}`
}
