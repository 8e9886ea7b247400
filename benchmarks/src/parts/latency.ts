/** One way of doing the same thing. */
export interface Contender {
  readonly name: string
  readonly call: () => Promise<unknown>
}

/** How much is measured: rounds in turns, calls of a round, calls at the same time. */
export interface Amount {
  readonly rounds: number
  readonly calls: number
  readonly inFlight: number
}

/** Milliseconds per call: the median of the best round and of all calls; CPU time of this process in the best round. */
interface Row {
  readonly name: string
  readonly bestMs: number
  readonly allMs: number
  readonly perSecond: number
  readonly cpuMs: number
}

interface Round {
  readonly ms: readonly number[]
  readonly perSecond: number
  readonly cpuMs: number
}

/** Measures contenders in turns and prints a table; the first is the floor that the others are compared with. */
export async function compareLatency(
  title: string,
  contenders: readonly Contender[],
  amount: Amount,
): Promise<void> {
  const taken = contenders.map((): Round[] => [])
  for (let round = -1; round < amount.rounds; round += 1) {
    for (const [index, { call }] of contenders.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- one contender at a time
      const result = await oneRound(call, amount)
      // The first round warms up.
      if (round >= 0) taken[index]?.push(result)
    }
  }
  print(
    `${title}, ${amount.inFlight} in flight`,
    contenders.map(({ name }, index) => rowOf(name, taken[index] ?? [])),
  )
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

async function oneRound(call: () => Promise<unknown>, { calls, inFlight }: Amount): Promise<Round> {
  const ms: number[] = []
  let left = calls
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const start = performance.now()
      // oxlint-disable-next-line no-await-in-loop -- a lane has one call in flight
      await call()
      ms.push(performance.now() - start)
    }
  }
  const cpu = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: inFlight }, lane))
  const perSecond = (calls * 1000) / (performance.now() - began)
  const { user, system } = process.cpuUsage(cpu)
  return { ms, perSecond, cpuMs: (user + system) / 1000 / calls }
}

function rowOf(name: string, rounds: readonly Round[]): Row {
  return {
    name,
    bestMs: Math.min(...rounds.map(({ ms }) => median(ms))),
    allMs: median(rounds.flatMap(({ ms }) => ms)),
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    cpuMs: Math.min(...rounds.map(({ cpuMs }) => cpuMs)),
  }
}

function print(title: string, rows: readonly Row[]): void {
  const floor = rows[0]
  console.log(`\n${title}`)
  console.table(
    Object.fromEntries(
      rows.map(({ name, bestMs, allMs, perSecond, cpuMs }) => [
        name,
        {
          'best-round median ms': Number(bestMs.toFixed(3)),
          'over bare ms': Number((bestMs - (floor?.bestMs ?? 0)).toFixed(3)),
          'all rounds median ms': Number(allMs.toFixed(3)),
          'best per second': Math.round(perSecond),
          'CPU here, ms per call': Number(cpuMs.toFixed(3)),
        },
      ]),
    ),
  )
}
