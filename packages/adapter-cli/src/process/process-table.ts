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
  const found = readStat(pid)
  return found?.hasEnded ? undefined : found?.entry
}

/** When a process was started, also one that has ended and was not collected yet. */
export function startTimeOf(pid: number): number | undefined {
  return readStat(pid)?.entry.startTime
}

function readStat(pid: number): { entry: ProcessEntry; hasEnded: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may hold spaces and parentheses of its own.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const number = (at: number): number => Number(fields[at])
    const entry = {
      pid,
      parent: number(1),
      group: number(2),
      session: number(3),
      startTime: number(19),
    }
    return { entry, hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
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
