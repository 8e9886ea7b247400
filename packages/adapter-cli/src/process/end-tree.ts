import { setTimeout as sleep } from 'node:timers/promises'

import type { ProcessEntry } from './process-table.ts'
import { groupExists, isAlive, send } from './tree.ts'

const pollMs = 20
const killRounds = 25

/**
 * Ends processes: SIGTERM, as long as the grace lasts for them to go, SIGKILL until none is left (B11).
 *
 * Takes what finds them (called again and again, since they may fork meanwhile), the grace in milliseconds, and
 * `spare`, a pid that gets no SIGTERM. Gives back how many could not be ended.
 */
export async function endProcesses(
  find: () => readonly ProcessEntry[],
  graceMs: number,
  spare?: number,
): Promise<number> {
  const seen = new Map<number, ProcessEntry>()
  const look = (): readonly ProcessEntry[] => {
    for (const entry of find()) seen.set(entry.pid, entry)
    return [...seen.values()].filter(isAlive)
  }
  for (const { pid } of look()) if (pid !== spare) send(pid, 'SIGTERM')
  const end = performance.now() + graceMs
  while (performance.now() < end && [...seen.values()].some(isAlive)) await sleep(pollMs)
  let left = look()
  for (let round = 0; left.length > 0 && round < killRounds; round++) {
    for (const { pid } of left) send(pid, 'SIGKILL')
    await sleep(pollMs / 2)
    left = look()
  }
  return left.length
}

/** The same for a whole process group, where there is no table of processes to look into. */
export async function endGroup(
  group: number,
  signal: (name: 'SIGTERM' | 'SIGKILL') => void,
  graceMs: number,
): Promise<number> {
  signal('SIGTERM')
  const end = performance.now() + graceMs
  while (performance.now() < end && groupExists(group)) await sleep(pollMs)
  if (groupExists(group)) signal('SIGKILL')
  return 0
}
