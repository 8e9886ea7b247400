import { timeChunk, type Subject } from '../measure.ts'

/** Windows so short that most of them see nothing of what else the machine does. */
const WINDOW_US = 400
const WINDOWS = 300
const RUNS = 8

/**
 * Measures subjects of this process in interleaved windows of 0.4 ms, in random order: of each the 10th percentile of a
 * run of 300 windows, and of that the smallest of 8 runs, in microseconds. Ratios of two such figures move by a few per
 * cent from one process to the next.
 */
export async function measureWindows(subjects: readonly Subject[]): Promise<readonly number[]> {
  const counts: number[] = []
  for (const subject of subjects) {
    // The first rounds only warm up.
    for (let round = 0; round < 5; round++) await subject.run(1000)
    const { us } = await timeChunk(subject, 500)
    counts.push(Math.max(1, Math.round(WINDOW_US / us)))
  }
  const best = subjects.map(() => Infinity)
  for (let run = 0; run < RUNS; run++) {
    const times: number[][] = subjects.map(() => [])
    for (let window = 0; window < WINDOWS; window++) {
      for (const index of shuffled(subjects.length)) {
        times[index]!.push((await timeChunk(subjects[index]!, counts[index]!)).us)
      }
    }
    for (const [index, list] of times.entries()) {
      const low = list.toSorted((a, b) => a - b)[WINDOWS / 10]!
      best[index] = Math.min(best[index]!, low)
    }
  }
  return best
}

function shuffled(length: number): readonly number[] {
  const places = Array.from({ length }, (_, place) => ({ place, at: Math.random() }))
  return places.toSorted((a, b) => a.at - b.at).map(({ place }) => place)
}
