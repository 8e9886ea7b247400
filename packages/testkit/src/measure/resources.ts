import { readdirSync, readFileSync } from 'node:fs'

import { openDescriptors, type Descriptor } from './descriptors.ts'

/**
 * What keeps this process alive (timers, sockets, …), and the processes and threads that it started and the files that it
 * opened, also those that do not keep it alive: kinds with their numbers, each file apart.
 */
export type Resources = ReadonlyMap<Descriptor['id'], Counted>

interface Counted extends Pick<Descriptor, 'kind'> {
  readonly count: number
}

function activeResources(): Resources {
  const counts = new Map<string, Counted>()
  const active = process.getActiveResourcesInfo().map((kind) => ({ id: kind, kind }))
  for (const { id, kind } of [...active, ...openDescriptors()]) {
    counts.set(id, { kind, count: numberOf(counts, id) + 1 })
  }
  const kind = 'child process'
  return counts.set(kind, { kind, count: childProcesses() })
}

function numberOf(resources: Resources, id: string): number {
  return resources.get(id)?.count ?? 0
}

/** Counted by the kernel, on Linux; elsewhere only what Node tells. */
function childProcesses(): number {
  try {
    return readdirSync('/proc/self/task')
      .map((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8'))
      .reduce((sum, pids) => sum + pids.split(' ').filter(Boolean).length, 0)
  } catch {
    return 0
  }
}

/** The kinds of which there are more now than before. */
function added(before: Resources): readonly string[] {
  const now = activeResources()
  const gone = gonePlaces(before, now)
  return [...now].flatMap(([id, { kind, count }]) => {
    const more = count - numberOf(before, id) - (gone.get(kind) ?? 0)
    return more > 0 ? [`${kind} (${more})`] : []
  })
}

/** What is there no more, by its kind: a log that was closed and begun anew is another file of the same name. */
function gonePlaces(before: Resources, now: Resources): ReadonlyMap<string, number> {
  const gone = new Map<string, number>()
  for (const [id, { kind, count }] of before) {
    const fewer = count - numberOf(now, id)
    if (fewer > 0) gone.set(kind, (gone.get(kind) ?? 0) + fewer)
  }
  return gone
}

/**
 * The fewest of each kind that are there at once during `ms`: what comes and goes meanwhile (a timer of the test
 * runner) must not be taken for something that was there before.
 */
export async function quietResources(ms: number): Promise<Resources> {
  const end = performance.now() + ms
  let fewest = activeResources()
  while (performance.now() < end) {
    // oxlint-disable-next-line no-await-in-loop -- looks again and again
    await pause()
    const now = activeResources()
    fewest = new Map(
      [...fewest].map(([id, { kind, count }]) => [
        id,
        { kind, count: Math.min(count, numberOf(now, id)) },
      ]),
    )
  }
  return fewest
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}

/** Waits until there is no more than before, up to `ms`; gives back what is too much at the end. */
export async function settled(before: Resources, ms: number): Promise<readonly string[]> {
  const end = performance.now() + ms
  for (;;) {
    const left = added(before)
    if (left.length === 0 || performance.now() > end) return left
    // oxlint-disable-next-line no-await-in-loop -- looks again and again
    await pause()
  }
}
