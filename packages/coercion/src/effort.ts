import { giveUp } from './json.ts'
import { EFFORT_PER_CHARACTER, MOST_EFFORT } from './limits.ts'

let left = 0

/** The effort for a value that may be long. */
export function effortFor(args: unknown): number {
  return Math.min(JSON.stringify(args).length * EFFORT_PER_CHARACTER, MOST_EFFORT)
}

/** Gives a part of the work an effort of its own. */
export function refill(units: number): void {
  left = units
}

/** Takes something from what is left, if there is enough. */
export function affords(units: number): boolean {
  if (units > left) return false
  left -= units
  return true
}

/** The same for work that cannot be left out: throws where there is not enough, which ends the call. */
export function spend(units: number): void {
  if (!affords(units)) giveUp()
}
