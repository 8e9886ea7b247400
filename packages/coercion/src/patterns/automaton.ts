import { giveUp } from '../json.ts'
import { STATES } from '../limits.ts'
import { codesOf } from './characters.ts'

/** A state of the position automaton of a pattern (Glushkov 1961): one for each character class, no empty moves. */
export interface State {
  /** The codes of the characters that lead here. */
  readonly takes: readonly number[]
  readonly next: Set<State>
}

export interface Automaton {
  /** Of each class, and of the beginning of the match and of each look-ahead. */
  readonly states: State[]
  /** Quantifiers that leave open how often, of the pattern without its look-aheads. */
  loops: number
  /** The same of each look-ahead: nothing goes back into one that has ended. */
  readonly ahead: number[]
  /** Every alternative begins with `^`. */
  anchored: boolean
}

interface Reader extends Automaton {
  readonly flags: string
  /** What is left to read; the next is the last. */
  readonly tokens: string[]
}

const tokenPattern =
  /\((?:\?(?:[:=!]|<[^=!].*?>))?|(?:[*+?]|\{\d+,?\d*\})\??|\[(?:\\?[^])*?\]|\\(?:[up]\{.*?\}|u.{4}|x..|c.|[^])|[^]/giu
const shorthands: { readonly [mark: string]: string } = { '*': '{0,}', '+': '{1,}', '?': '{0,1}' }

/**
 * Reads a pattern that is known to compile. Throws for what this analysis does not cover: back references, look-behind,
 * look-ahead in the middle, very large patterns, and loops that are sure to backtrack without bound because a move can
 * be made in two ways.
 */
export function readAutomaton(source: string, flags: string): Automaton {
  const tokens = (source.match(tokenPattern) ?? []).toReversed()
  const reader: Reader = { flags, tokens, states: [], loops: 0, ahead: [], anchored: true }
  readChoice(reader, addState(reader, []))
  return reader
}

function addState({ states }: Reader, takes: State['takes'], from?: State): State {
  const state = { takes, next: new Set<State>() }
  if (states.push(state) > STATES) giveUp()
  from?.next.add(state)
  return state
}

/** What is read leads from its entry to the states that are given, the entry among them where it may be empty. */
function readChoice(reader: Reader, entry: State): State[] {
  const ends: State[] = []
  do ends.push(...readSequence(reader, entry))
  while (reader.tokens.pop() === '|')
  return ends
}

function readSequence(reader: Reader, entry: State): State[] {
  const { tokens, states } = reader
  if (entry === states[0]) {
    reader.anchored &&= tokens.at(-1) === '^'
    // A look-ahead at the very beginning is tried once; it is a pattern of its own.
    while (/^(?:\^|\(\?[=!])/.test(tokens.at(-1) ?? '')) {
      if (tokens.pop() === '^') continue
      const { loops } = reader
      readChoice(reader, addState(reader, []))
      reader.ahead.push(reader.loops - loops)
      reader.loops = loops
    }
  }
  let ends = [entry]
  while (!/^[|)]/.test(tokens.at(-1) ?? '|')) ends = readTerm(reader, ends)
  return ends
}

function readTerm(reader: Reader, from: State[]): State[] {
  const token = reader.tokens.pop() as string
  if (/^(?:[$^]|\\b)$/i.test(token)) return from
  if (/^(?:\(\?[=!]|[*+?]|\\[1-9k])/.test(token)) giveUp()
  // Without the flag `u` a long escape may be several characters.
  if (!reader.flags && /^\\(?:0|..)/.test(token)) giveUp()
  // Leads to where the term can begin.
  const entry: State = { takes: [], next: new Set() }
  const ends = token.startsWith('(')
    ? readChoice(reader, entry)
    : [addState(reader, codesOf(token, reader.flags), entry)]
  const last = ends.filter((state) => state !== entry)
  const [least, most] = readCount(reader)
  // What may be empty in two ways, or in one of some rounds that must happen, leaves a choice before any character.
  const empty = ends.length - last.length
  if (empty * least > 1) giveUp()
  // Whatever may be repeated is taken as a loop, which allows more and never less.
  if (most > 1) {
    link(last, entry)
    if (most > least) reader.loops++
  }
  link(from, entry)
  return empty > 0 || least === 0 ? [...last, ...from] : last
}

/** How often the term stands that was read last: the least and the most. */
function readCount({ tokens }: Reader): [number, number] {
  const token = tokens.at(-1) ?? ''
  const [mark, low, comma, high] =
    /^\{(\d+)(,?)(\d*)/.exec(shorthands[token.charAt(0)] ?? token) ?? []
  if (!mark) return [1, 1]
  tokens.pop()
  return [Number(low), Number(comma ? high || Infinity : low)]
}

function link(from: readonly State[], { next }: State): void {
  for (const state of from) {
    for (const target of next) {
      // A loop directly in a loop.
      if (state.next.has(target)) giveUp()
      state.next.add(target)
    }
  }
}
