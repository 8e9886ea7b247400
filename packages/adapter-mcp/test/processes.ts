import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie whose parent is gone still answers; it holds nothing.
    return !existsSync(`/proc/${String(pid)}/stat`) || !isZombie(pid)
  } catch {
    return false
  }
}

export function isZombie(pid: number | string): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The process ids that a fixture wrote down. */
export function pidsIn(file: string): number[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}
