import type { ChildProcess } from 'node:child_process'

import { groupAlive, killTree } from './kill.ts'

const termMs = 1000
const killMs = 500
const pollMs = 10

/**
 * Ends a server and everything it started, in at most `graceMs` + 1.5 s: end of its stdin, SIGTERM to its group,
 * SIGKILL to its group. A group whose leader is gone but which has members left is treated alike.
 */
export async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
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
