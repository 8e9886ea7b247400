/**
 * The names most like the one asked for, at most three, best first: the same but for case and separators, the same
 * last part, or few letters apart. Takes ids and wire names.
 */
export function nearNames(asked: string, names: Iterable<string>): readonly string[] {
  const want = fold(asked)
  if (want === '') return []
  const wantLast = lastPart(asked)
  const most = Math.max(2, Math.floor(wantLast.length / 4))
  const scored: { name: string; score: number }[] = []
  for (const name of names) {
    const { plain, last } = foldedName(name)
    // The last part alone says less than the whole.
    const score = Math.min(
      editDistance(want, plain, most),
      editDistance(wantLast, last, most) + 0.5,
    )
    if (score <= most) scored.push({ name, score })
  }
  return scored
    .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name)
}

interface Folded {
  readonly plain: string
  readonly last: string
}

/** The names of a gateway, folded: to fold ten thousand anew for each slip of a model takes longer than to compare them. */
const known = new Map<string, Folded>()
const maxKnown = 50_000

function foldedName(name: string): Folded {
  const before = known.get(name)
  if (before !== undefined) return before
  if (known.size >= maxKnown) known.clear()
  // A name that had to be changed ends in a hash, which nobody guesses.
  const guessable = name.replace(/_[0-9a-f]{8}$/, '')
  const folded = { plain: fold(guessable), last: lastPart(guessable) }
  known.set(name, folded)
  return folded
}

function lastPart(name: string): string {
  return fold(name.split(/__|::/).at(-1) ?? '')
}

/** A name without what is easily confused: case and separators. */
export function fold(name: string): string {
  return name
    .slice(0, 128)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * Levenshtein's distance, with two neighbours changed round counted as one (optimal string alignment); Infinity where it
 * is more than `most`, which is mostly seen after a few letters.
 */
export function editDistance(one: string, other: string, most = 8): number {
  if (one === other) return 0
  if (Math.abs(one.length - other.length) > most) return Infinity
  const [a, b] = withoutCommonEnds(one, other)
  if (a.length > longest || b.length > longest) return Infinity
  let [before, previous, row] = rows
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    // A change round reaches back two rows, so one row may be over what the next is not.
    if (fillRow(a, b, { i, before, previous, row }) > most + 1) return Infinity
    ;[before, previous, row] = [previous, row, before]
  }
  const distance = previous[b.length]!
  return distance > most ? Infinity : distance
}

const longest = 255
type Row = Uint16Array
// Used anew by each comparison: there are thousands for one name.
const rows: readonly [Row, Row, Row] = [
  new Uint16Array(longest + 1),
  new Uint16Array(longest + 1),
  new Uint16Array(longest + 1),
]

interface Rows {
  readonly i: number
  readonly before: Row
  readonly previous: Row
  readonly row: Row
}

/** The distances of the first `i` letters of `a` to each beginning of `b`; gives the least of them. */
function fillRow(a: string, b: string, { i, before, previous, row }: Rows): number {
  row[0] = i
  let least = i
  for (let j = 1; j <= b.length; j++) {
    const same = a[i - 1] === b[j - 1]
    let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
      cost = Math.min(cost, before[j - 2]! + 1)
    }
    row[j] = cost
    if (cost < least) least = cost
  }
  return least
}

/** What is alike at both ends costs nothing; names of one server are mostly alike. */
function withoutCommonEnds(a: string, b: string): readonly [string, string] {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}
