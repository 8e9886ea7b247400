/** The position automaton of a pattern (Glushkov 1961): one state for each character class, no empty moves. */
export interface Automaton {
  /** Source of the class of each position: `a`, `\d`, `[^x]`, `.`. */
  readonly sets: string[]
  readonly follow: Set<number>[]
  /** Positions a match, or a look-ahead, can begin with. */
  readonly starts: (readonly number[])[]
  /** Quantifiers that leave open how often. */
  loops: number
  /** Every alternative begins with `^`. */
  anchored: boolean
}

interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly nullable: boolean
}

interface Scanner extends Automaton {
  readonly tokens: readonly string[]
  at: number
}

const POSITIONS = 128
const NOTHING: Part = { first: [], last: [], nullable: true }
const tokenPattern =
  /\((?:\?(?:[:=!]|<[^=!>][^>]*>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[^}]*\}|u.{4}|x..|c.|p\{[^}]*\}|[^])|[^]/giu

/**
 * Reads a pattern that is known to compile. Undefined for what this analysis does not cover: back references,
 * look-behind, look-ahead in the middle, very large patterns, and loops that are sure to backtrack without bound
 * because a move can be made in two ways.
 */
export function readAutomaton(source: string): Automaton | undefined {
  const tokens = source.match(tokenPattern) ?? []
  const counts = { at: 0, loops: 0, anchored: true }
  const scanner: Scanner = { tokens, ...counts, sets: [], follow: [], starts: [] }
  try {
    scanner.starts.push(readChoice(scanner, true).first)
    return scanner
  } catch {
    return undefined
  }
}

function refuse(): never {
  throw new Error()
}

function readChoice(scanner: Scanner, outermost = false): Part {
  const parts: Part[] = []
  do parts.push(readSequence(scanner, outermost))
  while (scanner.tokens[scanner.at++] === '|')
  return {
    first: parts.flatMap((part) => part.first),
    last: parts.flatMap((part) => part.last),
    nullable: parts.some((part) => part.nullable),
  }
}

function readSequence(scanner: Scanner, outermost: boolean): Part {
  const { tokens } = scanner
  if (outermost) {
    scanner.anchored &&= tokens[scanner.at] === '^'
    if (tokens[scanner.at] === '^') scanner.at++
    // A look-ahead at the very beginning is tried once; it is a pattern of its own.
    while (/^\(\?[=!]/.test(tokens[scanner.at] ?? '')) {
      scanner.at++
      scanner.starts.push(readChoice(scanner).first)
    }
  }
  let whole = NOTHING
  for (let token = tokens[scanner.at]; token && !/^[|)]/.test(token); token = tokens[scanner.at]) {
    scanner.at++
    const part = readTerm(scanner, token)
    link(scanner, whole.last, part.first)
    whole = {
      first: whole.nullable ? [...whole.first, ...part.first] : whole.first,
      last: part.nullable ? [...whole.last, ...part.last] : part.last,
      nullable: whole.nullable && part.nullable,
    }
  }
  return whole
}

function readTerm(scanner: Scanner, token: string): Part {
  if (/^(?:[$^]|\\b)$/i.test(token)) return NOTHING
  if (/^(?:\(\?[=!]|[*+?]|\\[1-9k])/.test(token)) refuse()
  if (token.startsWith('(')) return repeat(scanner, readChoice(scanner))
  const position = scanner.sets.push(token) - 1
  if (position >= POSITIONS) refuse()
  scanner.follow.push(new Set())
  return repeat(scanner, { first: [position], last: [position], nullable: false })
}

/** Reads the quantifier, if any. Whatever may be repeated is taken as a loop, which allows more and never less. */
function repeat(scanner: Scanner, body: Part): Part {
  const mark = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??$/.exec(scanner.tokens[scanner.at] ?? '')
  if (!mark) return body
  scanner.at++
  const [whole, low, comma, high] = mark
  // Rounds that must happen may be empty: which of them are is a choice for every character.
  if (body.nullable && Number(low) > 1) refuse()
  if (!whole.startsWith('?') && (high || low) !== '1' && high !== '0') {
    link(scanner, body.last, body.first)
    if (low === undefined || comma) scanner.loops++
  }
  return /^(?:[*?]|\{0)/.test(whole) ? { ...body, nullable: true } : body
}

function link({ follow }: Scanner, from: readonly number[], to: readonly number[]): void {
  for (const position of from) {
    for (const target of to) {
      // A loop directly in a loop.
      if (follow[position]?.has(target)) refuse()
      follow[position]?.add(target)
    }
  }
}
