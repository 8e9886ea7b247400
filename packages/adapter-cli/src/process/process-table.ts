import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** One line of the table of processes, from /proc/PID/stat (proc_pid_stat(5)). */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Ticks since the machine started: with the pid it names a process for good. */
  readonly startTime: number
}

/** All processes that this one may see, without those that have ended but were not collected. Linux; else empty. */
export function readProcesses(): readonly ProcessEntry[] {
  let names: readonly string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const entry = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined
    return entry === undefined ? [] : [entry]
  })
}

/** One process, or undefined when it is gone or has ended. */
export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may hold spaces and parentheses of its own.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const [parent, group, session, startTime] = [1, 2, 3, 19].map((at) => Number(fields[at]))
    if (parent === undefined || group === undefined || session === undefined) return undefined
    return startTime === undefined ? undefined : { pid, parent, group, session, startTime }
  } catch {
    return undefined
  }
}

/** The value of one environment variable that a process was started with; undefined when it cannot be read. */
export function environmentValue(pid: number, name: string): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/environ`, 'latin1')
    const found = text.split('\0').find((line) => line.startsWith(`${name}=`))
    return found?.slice(name.length + 1)
  } catch {
    return undefined
  }
}

/** Names the PID namespace of this process, since pids of another one mean nothing here. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    return '0'
  }
}
