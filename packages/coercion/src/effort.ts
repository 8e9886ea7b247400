import { giveUp } from './json.ts'
import { EFFORT, EFFORT_PER_CHARACTER, MOST_EFFORT } from './limits.ts'
import { replaceBigints } from './validate/bigints.ts'

let left = 0

/** The effort for a value that may be long, and never less than for any other. */
export function effortFor(args: unknown): number {
  const { length } = JSON.stringify(replaceBigints(args, String)) ?? ''
  return Math.min(Math.max(length * EFFORT_PER_CHARACTER, EFFORT), MOST_EFFORT)
}

/** Gives a part of the work an effort of its own. */
export function refill(units: number): void {
  left = units
}

/** Takes something from what is left: throws where there is not enough, which ends the call. */
export function spend(units: number): void {
  if (units > left) giveUp()
  left -= units
}
