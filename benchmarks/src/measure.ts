/** One thing to measure: runs `count` times what it measures. */
export interface Subject {
  readonly name: string
  run(count: number): void | Promise<void>
}

export interface Measured {
  readonly name: string
  /** Microseconds for one, in the fastest chunk. */
  readonly us: number
}

/**
 * Measures subjects in turns, so that what else the machine does hits all alike; of each the fastest of `rounds` chunks
 * of `chunk` runs counts.
 */
export async function measure(
  subjects: readonly Subject[],
  { rounds = 60, chunk = 500 }: { readonly rounds?: number; readonly chunk?: number } = {},
): Promise<readonly Measured[]> {
  const best = subjects.map(() => Infinity)
  for (let round = -5; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      const startedAt = performance.now()
      await subject.run(chunk)
      const us = ((performance.now() - startedAt) * 1000) / chunk
      // The first rounds only warm up.
      if (round >= 0) best[index] = Math.min(best[index]!, us)
    }
  }
  return subjects.map(({ name }, index) => ({ name, us: best[index]! }))
}

/** Prints a table with the ratio of each row to the first, the floor. */
export function printTable(title: string, rows: readonly Measured[]): void {
  const floor = rows[0]!.us
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log(`\n${title}`)
  for (const { name, us } of rows) {
    console.log(
      `  ${name.padEnd(width)}  ${us.toFixed(3).padStart(9)} µs  ${(us / floor).toFixed(2).padStart(7)} ×`,
    )
  }
}
