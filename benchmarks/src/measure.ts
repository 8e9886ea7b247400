/** One thing to measure: runs `count` times what it measures. */
export interface Subject {
  readonly name: string
  run(count: number): void | Promise<void>
}

/** Microseconds for one run: of the clock, and of the processors (user and system, all threads of the process). */
export interface Chunk {
  readonly us: number
  readonly cpuUs: number
}

export interface Measured extends Chunk {
  readonly name: string
}

/** Measures one chunk of `count` runs. */
export async function timeChunk(subject: Subject, count: number): Promise<Chunk> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await subject.run(count)
  const us = ((performance.now() - startedAt) * 1000) / count
  const { user, system } = process.cpuUsage(cpuBefore)
  return { us, cpuUs: (user + system) / count }
}

/**
 * Measures things in turns, so that what else the machine does hits all alike. Of each counts the fastest of `rounds`
 * chunks by the clock; the processor time is the mean of all of them, since the work of the garbage collector falls on
 * some chunks and not on others.
 */
export async function inTurns<T>(
  things: readonly T[],
  rounds: number,
  time: (thing: T) => Promise<Chunk>,
): Promise<readonly Chunk[]> {
  const best = things.map(() => Infinity)
  const cpu = things.map(() => 0)
  for (let round = -5; round < rounds; round++) {
    for (const [index, thing] of things.entries()) {
      const { us, cpuUs } = await time(thing)
      // The first rounds only warm up.
      if (round < 0) continue
      best[index] = Math.min(best[index]!, us)
      cpu[index]! += cpuUs
    }
  }
  return things.map((_, index) => ({ us: best[index]!, cpuUs: cpu[index]! / rounds }))
}

/** Measures subjects of this process in turns, by chunks of `chunk` runs. */
export async function measure(
  subjects: readonly Subject[],
  { rounds = 60, chunk = 500 }: { readonly rounds?: number; readonly chunk?: number } = {},
): Promise<readonly Measured[]> {
  const chunks = await inTurns(subjects, rounds, (subject) => timeChunk(subject, chunk))
  return subjects.map(({ name }, index) => ({ name, ...chunks[index]! }))
}

/** Prints a table with the ratios of each row to the first, the floor. */
export function printTable(title: string, rows: readonly Measured[]): void {
  const floor = rows[0]!
  const width = Math.max(...rows.map(({ name }) => name.length))
  console.log(`\n${title}`)
  for (const { name, us, cpuUs } of rows) {
    console.log(
      `  ${name.padEnd(width)}  ${against(us, floor.us)}   CPU ${against(cpuUs, floor.cpuUs)}`,
    )
  }
}

function against(us: number, floor: number): string {
  return `${us.toFixed(us < 100 ? 3 : 1).padStart(9)} µs ${(us / floor).toFixed(2).padStart(8)} ×`
}
