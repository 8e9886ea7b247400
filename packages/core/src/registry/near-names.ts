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
    // The last part alone says less than the whole.
    const score = Math.min(
      editDistance(want, fold(name)),
      editDistance(wantLast, lastPart(name)) + 0.5,
    )
    if (score <= most) scored.push({ name, score })
  }
  return scored
    .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name)
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

/** Levenshtein's distance, with two neighbours changed round counted as one (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > 8) return Infinity
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1)
      }
      row.push(cost)
    }
    before = previous
    previous = row
  }
  return previous[b.length]!
}
