import { execFileSync } from 'node:child_process'
import process from 'node:process'

/** The process groups that children of this process lead, as servers over stdio do. */
export function groupsOfChildren(): readonly number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' })
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([pid, parent, group]) => parent === process.pid && pid === group)
    .map(([pid]) => pid!)
}

/** Whether a process group has members: a server, or what it started and left behind. */
export function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
