import { WAYS } from '../limits.ts'
import { readAutomaton, type State } from './automaton.ts'

/**
 * How the time of a backtracking engine can grow with the length n of the text: n to the power of the answer, or
 * Infinity where no such bound is proved.
 *
 * Exponential growth needs a state with two ways back to itself over the same text (Weber and Seidl 1991), so it
 * cannot be where no state has two moves for one character that both lead back to it. Without such a state, a pattern
 * in which every character leaves one choice is linear, any other at most of the power of the number of its loops; a
 * search that is not anchored starts anew at every character.
 */
export function patternPower(source: string, flags: string): number {
  try {
    const { states, loops, anchored } = readAutomaton(source, flags)
    const reach = new Map(states.map((state) => [state, reachOf(state)]))
    let ways = 1
    let clear = true
    for (const state of states) {
      const options = [...state.next]
      const back = options.filter((option) => reach.get(option)?.has(state))
      if (alike(back) > 1) ways = Infinity
      if (back.length === 0) ways *= alike(options)
      clear &&= alike(options) === 1
    }
    if (ways > WAYS) return Infinity
    return (clear ? Math.min(loops, 1) : loops) + Number(!anchored)
  } catch {
    return Infinity
  }
}

function reachOf(from: State): ReadonlySet<State> {
  const seen = new Set(from.next)
  // A set that grows while it is walked is walked to its end.
  for (const state of seen) for (const target of state.next) seen.add(target)
  return seen
}

/** How many of these states one character can lead to at once. */
function alike(options: readonly State[]): number {
  const counts: number[] = []
  for (const { takes } of options) {
    for (const code of takes) counts[code] = (counts[code] ?? 0) + 1
  }
  return Math.max(1, ...Object.values(counts))
}
