/** The position automaton of a pattern (Glushkov 1961): one state for each character class, no empty moves. */
export interface Automaton {
  /** Source of the class of each position: `a`, `\d`, `[^x]`, `.`. */
  readonly sets: string[]
  readonly follow: Set<number>[]
  /** Positions a match, or a look-ahead, can begin with. */
  readonly starts: (readonly number[])[]
  /** Positions after which the whole pattern has matched. */
  last: readonly number[]
  /** Every alternative begins with `^`. */
  anchored: boolean
}

interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly nullable: boolean
}

interface Scanner extends Automaton {
  readonly source: string
  at: number
  depth: number
  /** Something other than `^` at the beginning has to hold without taking a character. */
  asserts: boolean
}

const POSITIONS = 128
const GROUPS = 50
/** A class repeated exactly this often at most is written out; other repeats count as loops. */
const COPIES = 64
const NOTHING: Part = { first: [], last: [], nullable: true }
const atomPattern =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^1-9k])|[^()|\\]/iuy
const groupPattern = /\((?:\?(?:[:=!]|<[^=!>][^>]*>)|(?!\?))/y
const quantifierPattern = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y

class NotCovered extends Error {}

/**
 * Reads a pattern that is known to compile. Undefined for what this analysis does not cover: back references,
 * look-behind, look-ahead in the middle, very large patterns, and loops that are sure to backtrack without bound
 * because a move can be made in two ways.
 */
export function readAutomaton(source: string): Automaton | undefined {
  const scanner: Scanner = {
    source,
    at: 0,
    depth: 0,
    asserts: false,
    sets: [],
    follow: [],
    starts: [],
    last: [],
    anchored: true,
  }
  try {
    const { first, last } = readChoice(scanner)
    scanner.starts.push(first)
    // With an assertion the match can still fail after the last character.
    if (!scanner.asserts) scanner.last = last
    return scanner
  } catch {
    return undefined
  }
}

function readChoice(scanner: Scanner): Part {
  const parts: Part[] = []
  do {
    if (scanner.source[scanner.at] === '|') scanner.at++
    parts.push(readSequence(scanner))
  } while (scanner.source[scanner.at] === '|')
  return {
    first: parts.flatMap((part) => part.first),
    last: parts.flatMap((part) => part.last),
    nullable: parts.some((part) => part.nullable),
  }
}

function readSequence(scanner: Scanner): Part {
  const { source } = scanner
  if (scanner.depth === 0) {
    if (source[scanner.at] === '^') scanner.at++
    else scanner.anchored = false
    // A look-ahead at the very beginning is tried once; it is a pattern of its own.
    while (/^\(\?[=!]/.test(source.slice(scanner.at, scanner.at + 3))) {
      scanner.starts.push(readGroup(scanner).first)
    }
  }
  let whole = NOTHING
  while (scanner.at < source.length && !'|)'.includes(source[scanner.at] ?? '')) {
    whole = join(scanner, whole, readTerm(scanner))
  }
  return whole
}

function readTerm(scanner: Scanner): Part {
  const { source, at } = scanner
  if (source[at] === '(') {
    if (/[=!]/.test(source[at + 2] ?? '') && source[at + 1] === '?') throw new NotCovered()
    return repeat(scanner, readGroup(scanner))
  }
  const atom = take(scanner, atomPattern)?.[0]
  if (atom === undefined) throw new NotCovered()
  if (/^(?:[$^]|\\b)$/i.test(atom)) {
    scanner.asserts = true
    return NOTHING
  }
  return repeat(scanner, addPosition(scanner, atom), () => addPosition(scanner, atom))
}

function readGroup(scanner: Scanner): Part {
  if (!take(scanner, groupPattern) || ++scanner.depth > GROUPS) throw new NotCovered()
  const body = readChoice(scanner)
  scanner.depth--
  scanner.at++
  return body
}

/** Reads the quantifier, if any. A repeated group is taken as a loop, a class that is counted exactly is copied. */
function repeat(scanner: Scanner, body: Part, copy?: () => Part): Part {
  const mark = take(scanner, quantifierPattern)
  if (!mark) return body
  const [, sign, low, comma, high] = mark
  const min = low === undefined ? (sign === '+' ? 1 : 0) : Number(low)
  const max = sign === '?' ? 1 : comma === '' ? min : high ? Number(high) : Infinity
  if (max === 0) return NOTHING
  if (copy && min === max && max <= COPIES) {
    let whole = body
    for (let count = 1; count < max; count++) whole = join(scanner, whole, copy())
    return whole
  }
  // Rounds that must happen may be empty: which of them are is a choice for every character.
  if (body.nullable && min > 1) throw new NotCovered()
  if (max > 1) link(scanner, body.last, body.first)
  return min === 0 ? { ...body, nullable: true } : body
}

function join(scanner: Scanner, left: Part, right: Part): Part {
  link(scanner, left.last, right.first)
  return {
    first: left.nullable ? [...left.first, ...right.first] : left.first,
    last: right.nullable ? [...left.last, ...right.last] : right.last,
    nullable: left.nullable && right.nullable,
  }
}

function link(scanner: Scanner, from: readonly number[], to: readonly number[]): void {
  for (const position of from) {
    const next = scanner.follow[position]
    for (const target of to) {
      // A loop directly in a loop.
      if (next?.has(target)) throw new NotCovered()
      next?.add(target)
    }
  }
}

function addPosition(scanner: Scanner, source: string): Part {
  const position = scanner.sets.push(source) - 1
  if (position >= POSITIONS) throw new NotCovered()
  scanner.follow.push(new Set())
  return { first: [position], last: [position], nullable: false }
}

function take(scanner: Scanner, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scanner.at
  const found = pattern.exec(scanner.source)
  scanner.at += found?.[0].length ?? 0
  return found
}
