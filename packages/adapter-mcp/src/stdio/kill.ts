import { spawnSync } from 'node:child_process'
import process from 'node:process'

/** Signals a process and everything in its group; on Windows its tree. Synchronous, so that an exit hook can use it. */
export function killTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true })
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // ESRCH: the group is empty, which is what was wanted.
  }
}

/** Whether the group still has a member. */
export function groupAlive(pid: number): boolean {
  if (process.platform === 'win32') return false
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}
