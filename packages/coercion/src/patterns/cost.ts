import { WAYS } from '../limits.ts'
import { readAutomaton, type State } from './automaton.ts'

/**
 * How the steps of a backtracking engine can grow with the length n of the text: a factor, Infinity where no bound is
 * proved, and the power of n that it is for.
 *
 * Exponential growth needs a state with two ways back to itself over the same text (Weber and Seidl 1991), so it
 * cannot be where no state has two moves for one character that both lead back to it. Without such a state, a pattern
 * in which every character leaves one choice is linear, any other at most of the power of the number of its loops; a
 * search that is not anchored starts anew at every character. Where p loops share n characters, there are about
 * n^p / p! ways to do so.
 */
export function patternGrowth(source: string, flags: string): [factor: number, power: number] {
  try {
    const { states, loops, ahead, anchored } = readAutomaton(source, flags)
    const reach = new Map(states.map((state) => [state, reachOf(state)]))
    let ways = 1
    let clear = true
    for (const state of states) {
      const options = [...state.next]
      if (alike(options.filter((option) => reach.get(option)?.has(state))) > 1) ways = Infinity
      // Which loops are gone through, and which are not, is among the ways of the power.
      ways *= alike(options.filter((option) => !reach.get(option)?.has(option)))
      clear &&= alike(options) === 1
    }
    if (ways > WAYS) ways = Infinity
    const most = Math.max(loops, ...ahead)
    const power = (clear ? Math.min(most, 1) : most) + Number(!anchored)
    ways *= ahead.length + 1
    for (let divisor = 2; divisor <= power; divisor++) ways /= divisor
    return [ways, power]
  } catch {
    return [Infinity, 0]
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
