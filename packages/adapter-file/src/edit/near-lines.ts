// Looked at for a hint: a large file is not compared whole.
const maxLines = 5000
const maxLength = 200
const leastAlike = 0.5

export interface NearLine {
  readonly line: number
  readonly text: string
}

/** Up to three lines of a text that look like the first line of another: a model sees what it missed by (C8). */
export function nearLines(text: string, wanted: string): readonly NearLine[] {
  const first = wanted.split('\n').find((line) => line.trim() !== '')
  if (first === undefined) return []
  const pairs = pairsOf(first)
  // Lines of very different lengths share too little.
  const isComparable = ({ length }: string): boolean =>
    length > first.length / 3 && length < first.length * 3
  return text
    .split('\n', maxLines)
    .map((line, index) => ({
      line: index + 1,
      text: line.slice(0, maxLength),
      alike: isComparable(line) ? alike(pairs, pairsOf(line)) : 0,
    }))
    .filter((each) => each.alike >= leastAlike)
    .toSorted((one, other) => other.alike - one.alike)
    .slice(0, 3)
    .map(({ line, text: found }) => ({ line, text: found }))
}

/** The pairs of neighbouring characters, blanks and case left out. */
function pairsOf(line: string): ReadonlySet<string> {
  const letters = line.slice(0, maxLength).replace(/\s+/g, '').toLowerCase()
  return new Set(
    Array.from({ length: Math.max(letters.length - 1, 0) }, (_, at) => letters.slice(at, at + 2)),
  )
}

/** The share of pairs that two lines have in common (Dice): 0 to 1. */
function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 0
  let common = 0
  for (const pair of one) if (other.has(pair)) common += 1
  return (2 * common) / (one.size + other.size)
}
