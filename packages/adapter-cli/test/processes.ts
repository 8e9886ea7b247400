import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Pids of the processes whose command line holds a text, and not another; those that have ended do not count. */
export function processesWith(text: string, without?: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      const [status, command] = [read(`/proc/${name}/stat`), read(`/proc/${name}/cmdline`)]
      if (/\) [ZX] /.test(status) || !command.includes(text)) return false
      return without === undefined || !command.includes(without)
    })
    .map(Number)
}

/** The pid of the parent of a process. */
export function parentOf(pid: number): number {
  return Number(read(`/proc/${pid}/stat`).split(') ').pop()?.split(' ')[1])
}

/** Pids of the children of a process; those that have ended do not count. */
export function childrenOf(pid: number): readonly number[] {
  return processesWith('').filter((child) => parentOf(child) === pid)
}

/** Nothing of a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Polls until a condition holds; fails after the limit in milliseconds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 5000,
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Not so within ${limitMs} ms.`)
    await sleep(10)
  }
}

/** A word that no other process of the machine has in its command line. */
export function uniqueWord(): string {
  return `probe-${process.pid}-${Math.random().toString(36).slice(2)}`
}
