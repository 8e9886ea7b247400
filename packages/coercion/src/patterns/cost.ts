import { buildAutomaton, type Automaton } from './automaton.ts'
import { classBits } from './overlap.ts'
import { parsePattern, type PatternNode } from './parse.ts'

/**
 * How the time of a backtracking engine can grow with the length n of the text: n to the power of the answer, or
 * undefined where no such bound is proved.
 *
 * Exponential growth needs a state with two ways back to itself over the same text (Weber and Seidl 1991); without
 * it the power is at most the number of loops that can fail, plus one for the start of an unanchored search.
 */
export function patternPower(source: string, flags: string): number | undefined {
  const root = parsePattern(source)
  if (root === undefined) return undefined
  const anchored = isAnchored(root)
  const { looks, rest } = splitLooks(root)
  let power = 1
  for (const part of [...looks, rest]) {
    const automaton = buildAutomaton(part)
    const one = automaton && automatonPower(automaton, flags, part === rest && !endsFreely(part))
    if (one === undefined) return undefined
    power = Math.max(power, one.power + (!anchored && one.loops > 0 ? 1 : 0))
  }
  return power
}

function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'choice') return node.parts.every(isAnchored)
  if (node.kind === 'sequence') return node.parts[0] !== undefined && isAnchored(node.parts[0])
  return node.kind === 'assertion' && node.source === '^'
}

/** Look-aheads at the very beginning run once and are looked at one by one; elsewhere they are not covered. */
function splitLooks(root: PatternNode): { looks: PatternNode[]; rest: PatternNode } {
  if (root.kind !== 'sequence') return { looks: [], rest: root }
  const looks: PatternNode[] = []
  const parts = root.parts.filter((part, index) => {
    const leading = root.parts
      .slice(0, index)
      .every((p) => p.kind === 'assertion' || p.kind === 'look')
    if (part.kind !== 'look' || !leading) return true
    looks.push(part.body)
    return false
  })
  return { looks, rest: { kind: 'sequence', parts } }
}

/** Whether nothing can fail any more once the last character is taken. */
function endsFreely(node: PatternNode): boolean {
  if (node.kind === 'choice') return node.parts.every(endsFreely)
  const last = node.kind === 'sequence' ? node.parts.at(-1) : node
  return last?.kind === 'sequence' || last?.kind === 'choice'
    ? endsFreely(last)
    : last?.kind !== 'assertion'
}

interface Power {
  readonly power: number
  /** Loops that can still fail after having taken characters. */
  readonly loops: number
}

function automatonPower(automaton: Automaton, flags: string, needsEnd: boolean): Power | undefined {
  if (automaton.doubled) return undefined
  const bits = classBits(automaton.sets, flags)
  const overlap = (a: number, b: number): boolean => ((bits[a] ?? 0n) & (bits[b] ?? 0n)) !== 0n
  const component = components(automaton)
  if (isExponential(automaton, component, overlap)) return undefined
  const accepting = new Set(needsEnd ? [] : automaton.last)
  const failing = new Set<number>()
  for (const [position, next] of automaton.follow.entries()) {
    const own = component[position]
    const inLoop = [...next].some((target) => component[target] === own)
    if (inLoop && own !== undefined && !accepting.has(position)) failing.add(own)
  }
  const loops = failing.size
  const choices = [automaton.first, ...automaton.follow.map((next) => [...next])]
  const ambiguous = choices.some((options) =>
    options.some((a, index) => options.some((b, other) => other > index && overlap(a, b))),
  )
  return { power: ambiguous ? Math.max(1, loops) : 1, loops }
}

/** Strongly connected components, by mutual reachability; there are at most 128 positions. */
function components({ follow }: Automaton): number[] {
  const reach = follow.map((_, start) => {
    const seen = new Set<number>()
    const pending = [start]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      for (const next of follow[at] ?? []) {
        if (!seen.has(next)) pending.push(next)
        seen.add(next)
      }
    }
    return seen
  })
  return follow.map((_, position) => {
    const first = reach.findIndex(
      (seen, other) => seen.has(position) && reach[position]?.has(other),
    )
    return first < 0 ? position : first
  })
}

/** Two different walks over one text that leave a state together and meet again inside its loop. */
function isExponential(
  { follow, sets }: Automaton,
  component: readonly number[],
  overlap: (a: number, b: number) => boolean,
): boolean {
  const size = sets.length
  const seen = new Set<number>()
  const pending: number[] = []
  const push = (a: number, b: number, apart: boolean): boolean => {
    if (a === b && apart) return true
    const pair = a * size + b
    if (!seen.has(pair)) pending.push(pair)
    seen.add(pair)
    return false
  }
  for (let position = 0; position < size; position++) push(position, position, false)
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = [Math.floor(pair / size), pair % size]
    for (const nextA of follow[a] ?? []) {
      for (const nextB of follow[b] ?? []) {
        const inside = component[nextA] === component[a] && component[nextB] === component[b]
        if (inside && overlap(nextA, nextB) && push(nextA, nextB, a !== b)) return true
      }
    }
  }
  return false
}
