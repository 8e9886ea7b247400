import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

import { codeOf } from '../guard/system-error.ts'

/**
 * Where a number means one process: the machine since its start, which may have the name of another, and in it the space
 * of numbers, of which each container has its own.
 */
export function placeOfProcesses(): string {
  const numbers = orNothing(() => readlinkSync('/proc/self/ns/pid'))
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id'))
  return `${hostname()} ${numbers} ${boot}`
}

/** Whether a process of this place can still do something. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  // One that ended keeps its number until its parent asks for its status, which some parents never do (proc(5)).
  return !/\) [ZX] [^)]*$/.test(orNothing(() => readFileSync(`/proc/${pid}/stat`)))
}

/** Nothing where there is no /proc, or where it hides the processes of others. */
function orNothing(read: () => string | Buffer): string {
  try {
    return String(read())
  } catch {
    return ''
  }
}
