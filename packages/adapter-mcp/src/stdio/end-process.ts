import type { ChildProcess } from 'node:child_process'

import { groupAlive, killTree } from './kill.ts'

const longestTermMs = 1000
const killMs = 500
const pollMs = 10

/**
 * Ends a server and everything it started: end of its stdin, `graceMs` later SIGTERM to its group, up to a second
 * later SIGKILL to its group. A group whose leader is gone but which has members left is treated alike. SIGKILL comes
 * within `withinMs` at the latest.
 */
export async function endProcess(
  child: ChildProcess,
  wantedGraceMs: number,
  withinMs: number,
): Promise<void> {
  const graceMs = Math.min(wantedGraceMs, withinMs / 3)
  const termMs = Math.min(longestTermMs, withinMs - graceMs)
  const { pid } = child
  if (pid === undefined) return
  child.stdin?.end()
  if (await gone(child, pid, graceMs)) return
  killTree(pid, 'SIGTERM')
  if (await gone(child, pid, termMs)) return
  killTree(pid, 'SIGKILL')
  await gone(child, pid, killMs)
}

async function gone(child: ChildProcess, pid: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs
  for (;;) {
    const running = child.exitCode === null && child.signalCode === null
    if (!running && !groupAlive(pid)) return true
    const left = end - performance.now()
    if (left <= 0) return false
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(pollMs, left))
    })
  }
}
