import { readAutomaton } from './automaton.ts'
import { classBits } from './overlap.ts'

/** Choices outside loops multiply, as in `a?a?a?aaa`; more ways through a pattern than this are not proved harmless. */
const WAYS = 10_000

/**
 * How the time of a backtracking engine can grow with the length n of the text: n to the power of the answer, or
 * undefined where no such bound is proved.
 *
 * Exponential growth needs a state with two ways back to itself over the same text (Weber and Seidl 1991), so it
 * cannot be where no state has two moves for one character that both lead back to it. Without such a state, a pattern
 * in which every character leaves one choice is linear, any other at most of the power of the number of its loops; a
 * search that is not anchored starts anew at every character.
 */
export function patternPower(source: string, flags: string): number | undefined {
  const automaton = readAutomaton(source)
  if (automaton === undefined) return undefined
  const { follow, starts, sets, loops, anchored } = automaton
  const bits = classBits(sets, flags)
  const reach = follow.map((next) => {
    const seen = new Set(next)
    // A set that grows while it is walked is walked to its end.
    for (const position of seen) for (const target of follow[position] ?? []) seen.add(target)
    return seen
  })
  /** How many of these positions one character can take at once. */
  const alike = (options: readonly number[]): number =>
    Math.max(
      1,
      ...options.map((a) => options.filter((b) => ((bits[a] ?? 0n) & (bits[b] ?? 0n)) > 0n).length),
    )
  let ways = 1
  let clear = true
  for (const [position, next] of [...follow, ...starts].entries()) {
    const options = [...next]
    const back = options.filter((option) => reach[option]?.has(position))
    if (alike(back) > 1) return undefined
    clear &&= alike(options) === 1
    if (back.length === 0) ways *= alike(options)
  }
  if (ways > WAYS) return undefined
  return Math.max(1, clear ? 1 : loops) + (anchored || loops === 0 ? 0 : 1)
}
