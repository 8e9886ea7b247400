/** Longer words are compared by their beginning; more candidates are not looked at. */
const LENGTH = 64
const CANDIDATES = 1000

/**
 * The candidate that a misspelt word most likely stands for: the one with the fewest edits, letter case and
 * punctuation apart, if those are few for the length of the word. Undefined where nothing is near.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = fold(word)
  const few = candidates.slice(0, CANDIDATES)
  for (let edits = 0; edits <= Math.min(3, wanted.length / 2); edits++) {
    const near = few.find((candidate) => isWithin(wanted, fold(candidate), edits))
    if (near !== undefined) return near
  }
  return undefined
}

function fold(word: string): string {
  const text = word.slice(0, LENGTH).toLowerCase()
  return text.replace(/[\s_.-]/g, '') || text
}

/** Whether so many letters added, left out or replaced make one word of the other. */
function isWithin(from: string, to: string, edits: number): boolean {
  if (from === to) return true
  if (edits < Math.abs(from.length - to.length) || edits === 0) return false
  if (from[0] === to[0]) return isWithin(from.slice(1), to.slice(1), edits)
  return (
    isWithin(from.slice(1), to.slice(1), edits - 1) ||
    isWithin(from.slice(1), to, edits - 1) ||
    isWithin(from, to.slice(1), edits - 1)
  )
}
