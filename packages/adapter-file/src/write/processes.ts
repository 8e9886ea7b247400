import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Where the number of a process means the same process: the machine since its start, and in it the space of numbers,
 * since a container has its own, and may have the name of another; and so may a machine.
 */
export function placeOfProcesses(): string {
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  return `${hostname()} ${orNothing(() => readlinkSync('/proc/self/ns/pid'))} ${boot.trim()}`
}

/** Whether a process of this place can still do something. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  // One that ended keeps its number until its parent asks for its status, which some parents never do (proc(5)).
  const state = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return !/\) [ZX] [^)]*$/.test(state)
}

/** Where there is no /proc, or it hides the processes of others. */
function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
