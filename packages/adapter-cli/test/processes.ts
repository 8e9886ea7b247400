import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Pids of the processes whose command line holds a text; those that have ended do not count. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        if (/\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1'))) return false
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)
      } catch {
        return false
      }
    })
    .map(Number)
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
