import { giveUp } from './json.ts'
import { EFFORT, EFFORT_PER_CHARACTER, MOST_EFFORT, WRITE_EFFORT } from './limits.ts'
import { sizeOf } from './schema/size.ts'
import { SIZE_LIMIT } from './text/fault.ts'

/** What is left of the effort of the call, or of the part of it, that goes on; generated code takes from it, too. */
export const effort = { left: 0 }

/** The effort for a value that may be long, and never less than for any other; none where it is too large. */
export function effortFor(args: unknown): number {
  const size = sizeOf(args, SIZE_LIMIT)
  // Parts that stand in many places may make more of it than any text has.
  return size > SIZE_LIMIT
    ? 0
    : Math.min(Math.max(size * EFFORT_PER_CHARACTER, EFFORT), MOST_EFFORT)
}

/** Gives a part of the work an effort of its own. */
export function refill(units: number): void {
  effort.left = units
}

/** Takes something from what is left: throws where there is not enough, which ends the call. */
export function spend(units: number): void {
  if ((effort.left -= units) < 0) giveUp()
}

/** Takes what writing a value as JSON costs: a part that stands in many places is written in each. */
export function spendOn(value: unknown): void {
  spend(WRITE_EFFORT * sizeOf(value, effort.left))
}
