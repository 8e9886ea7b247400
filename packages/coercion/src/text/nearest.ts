/** Longer names are compared by their beginning; more candidates are not looked at. */
const LENGTH = 64
const CANDIDATES = 1000

/**
 * The candidate that a misspelt word most likely stands for: equal but for case and punctuation, or the one with
 * the fewest edits (Levenshtein), if those are few for the length of the word. Undefined where nothing is near.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = fold(word)
  let best: string | undefined
  let fewest = (wanted.length < 2 ? 0 : Math.max(1, Math.floor(wanted.length * 0.4))) + 1
  for (const candidate of candidates.slice(0, CANDIDATES)) {
    const edits = editDistance(wanted, fold(candidate))
    if (edits < fewest) [best, fewest] = [candidate, edits]
  }
  return best
}

function fold(word: string): string {
  const letters = word
    .slice(0, LENGTH)
    .toLowerCase()
    .replace(/[\s_.-]/g, '')
  return letters === '' ? word.slice(0, LENGTH) : letters
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
