import { markerName } from './marker.ts'
import { environmentValue, readProcess, readProcesses, type ProcessEntry } from './process-table.ts'

/** A started program and what tells its descendants. */
export interface Root {
  readonly pid: number
  readonly startTime: number
  readonly marker: string
}

/**
 * The program and all its descendants that can be found: by parent, group and session, each followed as far as it
 * goes, and by the marker in the environment (B11).
 *
 * A descendant that left its session, lost its parents and emptied its environment is not found, unless it was seen
 * before; only a PID namespace holds such a one.
 */
export function membersOf(root: Root): readonly ProcessEntry[] {
  // A descendant never starts before its ancestor, which spares most of the machine's processes the look.
  const candidates = readProcesses().filter(({ startTime }) => startTime >= root.startTime)
  const found = new Map<number, ProcessEntry>()
  const unseen = new Set(candidates)
  const add = (entry: ProcessEntry): void => {
    found.set(entry.pid, entry)
    unseen.delete(entry)
  }
  for (const entry of candidates) {
    const isRoot = entry.pid === root.pid && entry.startTime === root.startTime
    const related = entry.group === root.pid || entry.session === root.pid
    if (isRoot || related || environmentValue(entry.pid, markerName) === root.marker) add(entry)
  }
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const entry of unseen) {
      if (found.has(entry.parent) || found.has(entry.group) || found.has(entry.session)) add(entry)
    }
  }
  return [...found.values()]
}

/** Whether a process is still the one that was seen, and has not ended. */
export function isAlive(entry: ProcessEntry): boolean {
  return readProcess(entry.pid)?.startTime === entry.startTime
}

/** Sends a signal; a process that is gone, or belongs to somebody else, is left alone. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // ESRCH: it has ended. EPERM: it became another user's (setuid) and cannot be ended from here.
  }
}

/** Whether a process group has a member. */
export function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
