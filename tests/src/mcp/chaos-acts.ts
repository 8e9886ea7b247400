/** What a call asks a fake server to do, and how often: parts of a thousand calls; the rest is answered well. */
export type ActWeights = readonly (readonly [act: string, perMille: number])[]

/** Acts that end the process are rare, for a server may be started ten times a minute. */
export const stdioActs: ActWeights = [
  ['die', 1],
  ['die-before', 1],
  ['answer-and-die', 1],
  ['disconnect', 1],
  ['deaf', 1],
  ['freeze', 0.5],
  ['hang', 4],
  ['progress', 10],
  ['huge', 5],
  ['child', 2],
  ['storm', 5],
  ['stderr', 10],
  ['twice', 20],
  ['noise', 100],
]

export const httpActs: ActWeights = [
  ['hang', 4],
  ['disconnect', 5],
  ['disconnect-before', 5],
  ['lose-sessions', 5],
  ['error', 5],
  ['gateway', 5],
  ['busy', 10],
  ['garbled', 5],
  ['cut', 5],
  ['end-without-answer', 5],
  ['progress', 10],
  ['storm', 5],
  ['noise', 100],
]

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param factor how much more often than the weights say. */
export function pickAct(weights: ActWeights, factor: number, random: () => number): string {
  let at = random() * 1000
  for (const [act, perMille] of weights) {
    at -= perMille * factor
    if (at < 0) return act
  }
  return 'echo'
}
