/** So many comparisons of characters take a tenth of a second at most. */
const fewComparisons = 2 ** 28

/** Gives the place of a text at or after another, or -1. */
export type TextFinder = (from: number) => number

/**
 * Looks for a text within another in a time that its maker cannot make long: `indexOf` is the fastest, but takes minutes
 * for a long text that nearly fits everywhere.
 */
export function textFinder(text: string, wanted: string): TextFinder {
  if (text.length * wanted.length <= fewComparisons) return (from) => text.indexOf(wanted, from)
  const borders = bordersOf(wanted)
  return (from) => findByBorders(text, wanted, borders, from)
}

/** In linear time (Knuth, Morris, Pratt, "Fast pattern matching in strings", 1977). */
function findByBorders(text: string, wanted: string, borders: Int32Array, from: number): number {
  let matched = 0
  for (let at = from; at < text.length; at += 1) {
    matched = lengthen(wanted, borders, matched, text.charCodeAt(at))
    if (matched === wanted.length) return at + 1 - matched
  }
  return -1
}

/** For each beginning of a text, how long the longest shorter one is that it ends with. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  for (let at = 1; at < wanted.length; at += 1) {
    borders[at] = lengthen(wanted, borders, borders[at - 1] ?? 0, wanted.charCodeAt(at))
  }
  return borders
}

/** How much of the wanted text has been seen when one more character comes. */
function lengthen(wanted: string, borders: Int32Array, seen: number, character: number): number {
  let matched = seen
  while (matched > 0 && wanted.charCodeAt(matched) !== character)
    matched = borders[matched - 1] ?? 0
  return wanted.charCodeAt(matched) === character ? matched + 1 : matched
}
