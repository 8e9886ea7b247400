import type { PatternNode } from './parse.ts'

/** The position automaton of a pattern (Glushkov 1961): one state a character class, no empty moves. */
export interface Automaton {
  /** Source of the class of each position. */
  readonly sets: readonly string[]
  readonly follow: readonly ReadonlySet<number>[]
  readonly first: readonly number[]
  readonly last: readonly number[]
  /** Whether a move can be made in two ways, by a loop directly in a loop: that backtracks without bound. */
  readonly doubled: boolean
}

interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly nullable: boolean
}

const POSITIONS = 128
/** A class repeated exactly this often at most is written out; other repeats count as loops. */
const COPIES = 64
const NOTHING: Part = { first: [], last: [], nullable: true }

/** Undefined where the pattern has too many positions, or a look-ahead inside. */
export function buildAutomaton(root: PatternNode): Automaton | undefined {
  const sets: string[] = []
  const follow: Set<number>[] = []
  let doubled = false
  let refused = false

  function link(from: readonly number[], to: readonly number[]): void {
    for (const position of from) {
      const next = follow[position]
      for (const target of to) {
        doubled ||= next?.has(target) ?? false
        next?.add(target)
      }
    }
  }

  function join(left: Part, right: Part): Part {
    link(left.last, right.first)
    return {
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...left.last, ...right.last] : right.last,
      nullable: left.nullable && right.nullable,
    }
  }

  function repeat(node: PatternNode & { kind: 'repeat' }): Part {
    if (node.max === 0) return NOTHING
    if (node.body.kind === 'set' && node.min === node.max && node.max <= COPIES) {
      const copies = Array.from({ length: node.max }, () => build(node.body))
      return copies.reduce(join, NOTHING)
    }
    const body = build(node.body)
    // Rounds that must happen may be empty: which of them are is a choice for every character.
    doubled ||= body.nullable && node.min > 1
    if (node.max > 1) link(body.last, body.first)
    return node.min === 0 ? { ...body, nullable: true } : body
  }

  function build(node: PatternNode): Part {
    switch (node.kind) {
      case 'assertion':
        return NOTHING
      case 'look':
        refused = true
        return NOTHING
      case 'repeat':
        return repeat(node)
      case 'sequence':
        return node.parts.map(build).reduce(join, NOTHING)
      case 'choice': {
        const parts = node.parts.map(build)
        const nullable = parts.some((part) => part.nullable)
        return {
          first: parts.flatMap((p) => p.first),
          last: parts.flatMap((p) => p.last),
          nullable,
        }
      }
      case 'set': {
        if (sets.length >= POSITIONS) refused = true
        else {
          sets.push(node.source)
          follow.push(new Set())
        }
        const position = sets.length - 1
        return { first: [position], last: [position], nullable: false }
      }
    }
  }

  const { first, last } = build(root)
  return refused ? undefined : { sets, follow, first, last, doubled }
}
