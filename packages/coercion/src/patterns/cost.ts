import { readAutomaton, type Automaton } from './automaton.ts'
import { classBits } from './overlap.ts'

/**
 * How the time of a backtracking engine can grow with the length n of the text: n to the power of the answer, or
 * undefined where no such bound is proved.
 *
 * Exponential growth needs a state with two ways back to itself over the same text (Weber and Seidl 1991); without
 * it the power is at most the number of loops, one after the other, that can share a text and still fail, plus one
 * for the start of an unanchored search.
 */
export function patternPower(source: string, flags: string): number | undefined {
  const automaton = readAutomaton(source)
  if (automaton === undefined) return undefined
  const bits = classBits(automaton.sets, flags)
  const overlap = (a: number, b: number): boolean => ((bits[a] ?? 0n) & (bits[b] ?? 0n)) !== 0n
  const reach = reachable(automaton)
  if (isExponential(automaton, reach, overlap)) return undefined
  const loops = loopChain(automaton, reach)
  let ambiguous = false
  let ways = 1
  for (const [index, options] of [...automaton.follow, ...automaton.starts].entries()) {
    const alike = mostAlike([...options], overlap)
    ambiguous ||= alike > 1
    if (!reach[index]?.has(index)) ways *= alike
  }
  if (ways > WAYS) return undefined
  return Math.max(1, ambiguous ? loops : 1) + (!automaton.anchored && loops > 0 ? 1 : 0)
}

/** Choices outside loops multiply, as in `a?a?a?aaa`; more ways through a pattern than this are not proved harmless. */
const WAYS = 10_000

/** How many options one character can take at once. */
function mostAlike(options: readonly number[], overlap: (a: number, b: number) => boolean): number {
  return Math.max(1, ...options.map((a) => options.filter((b) => overlap(a, b)).length))
}

/** For each position those that can follow it, at any distance. */
function reachable({ follow }: Automaton): readonly ReadonlySet<number>[] {
  return follow.map((next) => {
    const seen = new Set(next)
    // A set that grows while it is walked is walked to its end.
    for (const position of seen) for (const target of follow[position] ?? []) seen.add(target)
    return seen
  })
}

/** The most loops on one way through the pattern, leaving out those whose end is the end of the match. */
function loopChain({ last }: Automaton, reach: readonly ReadonlySet<number>[]): number {
  const known = new Map<number, number>()
  const chainFrom = (position: number): number => {
    let longest = known.get(position)
    if (longest !== undefined) return longest
    const later = [...(reach[position] ?? [])].filter((target) => !reach[target]?.has(position))
    longest = Math.max(0, ...later.map(chainFrom))
    if (reach[position]?.has(position) && !last.includes(position)) longest++
    known.set(position, longest)
    return longest
  }
  return Math.max(0, ...[...reach.keys()].map(chainFrom))
}

/** Two different walks over one text that leave a state together and meet again inside its loop. */
function isExponential(
  { follow }: Automaton,
  reach: readonly ReadonlySet<number>[],
  overlap: (a: number, b: number) => boolean,
): boolean {
  const size = follow.length
  // Pairs of positions as one number; at first those where both are the same.
  const pairs = new Set(follow.map((_, position) => position * size + position))
  for (const pair of pairs) {
    const [a, b] = [Math.floor(pair / size), pair % size]
    for (const nextA of follow[a] ?? []) {
      if (!reach[nextA]?.has(a)) continue
      for (const nextB of follow[b] ?? []) {
        if (!reach[nextB]?.has(b) || !overlap(nextA, nextB)) continue
        if (nextA === nextB && a !== b) return true
        pairs.add(nextA * size + nextB)
      }
    }
  }
  return false
}
