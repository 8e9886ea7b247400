import { readdirSync, readFileSync } from 'node:fs'

import { openDescriptors } from './descriptors.ts'

/**
 * What keeps this process alive (timers, sockets, …), and the processes and threads that it started and the files that it
 * opened, also those that do not keep it alive: kinds with their numbers.
 */
export type Resources = ReadonlyMap<string, number>

function activeResources(): Resources {
  const counts = new Map<string, number>()
  for (const kind of [...process.getActiveResourcesInfo(), ...openDescriptors()]) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts.set('child process', childProcesses())
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
  return [...activeResources()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0)
    return more > 0 ? [`${kind} (${more})`] : []
  })
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
      [...fewest].map(([kind, count]) => [kind, Math.min(count, now.get(kind) ?? 0)]),
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
