import { spawn, type ChildProcess } from 'node:child_process'

const groups = new Set<ChildProcess>()
let listening = false

/** Remembers a command until it is forgotten, so that it does not outlive this process when that exits. */
export function remember(child: ChildProcess): void {
  groups.add(child)
  if (listening) return
  listening = true
  process.on('exit', () => {
    for (const each of groups) endGroup(each)
  })
}

export function forget(child: ChildProcess): void {
  groups.delete(child)
}

/** Ends a command and all that it started and left in its process group; on Windows, its process tree. */
export function endGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  if (process.platform === 'win32') {
    const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' })
    killer.on('error', () => child.kill('SIGKILL'))
    return
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}
