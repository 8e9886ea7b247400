import { markerName } from './marker.ts'
import { environmentValue, readProcess, readProcesses, type ProcessEntry } from './process-table.ts'
import type { RunGroup } from './run-group.ts'

/** A started program and what tells its descendants. */
export interface Root {
  readonly pid: number
  readonly startTime: number
  readonly marker: string
  /** Undefined where it has no control group. */
  readonly group: RunGroup | undefined
}

/**
 * The program and all its descendants that can be found: by parent, group and session, each followed as far as it
 * goes, and by the marker in the environment (B11).
 *
 * Without a control group a descendant that left its session, lost its parents and emptied its environment is not found,
 * unless it was seen before; only such a group, or a PID namespace, holds it.
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
  const grouped = new Set(root.group?.members())
  for (const entry of candidates) if (belongs(entry, root, grouped)) add(entry)
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const entry of unseen) {
      if (found.has(entry.parent) || found.has(entry.group) || found.has(entry.session)) add(entry)
    }
  }
  return [...found.values()]
}

/** Whether a process is the program or told to be its descendant, without looking at its parents. */
function belongs(entry: ProcessEntry, root: Root, grouped: ReadonlySet<number>): boolean {
  const { pid, startTime, group, session } = entry
  return (
    (pid === root.pid && startTime === root.startTime) ||
    group === root.pid ||
    session === root.pid ||
    grouped.has(pid) ||
    environmentValue(pid, markerName) === root.marker
  )
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
