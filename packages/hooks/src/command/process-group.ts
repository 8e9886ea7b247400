import { spawn, type ChildProcess } from 'node:child_process'

const groups = new Set<ChildProcess>()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Marks a listener that only stands for what a signal does by default; other packages of Callgate use it too. */
const standsForDefault: unique symbol = Symbol.for('callgate.stands-for-default') as never

/**
 * Remembers a command until it is forgotten, so that it does not outlive this process: not when that exits (an
 * uncaught exception included), nor when it gets one of the usual signals and nobody else handles that; the default
 * effect of the signal is kept.
 */
export function remember(child: ChildProcess): void {
  if (groups.size === 0) arm()
  groups.add(child)
}

export function forget(child: ChildProcess): void {
  if (groups.delete(child) && groups.size === 0) disarm()
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

function endAll(): void {
  for (const each of groups) endGroup(each)
}

/**
 * Whether somebody else decides what a signal does. Listeners of the library signal-exit, which many programs have
 * through others, do not: they clean up and let the signal have its effect once nobody but them listens. It counts them
 * where its copies find each other (versions 4 and 3).
 */
function isHandledElsewhere(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !(standsForDefault in listener))
  const counters: unknown[] = [
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')),
    Reflect.get(process, '__signal_exit_emitter__'),
  ]
  const watchers = counters.map((counter) => Number(Object(counter).count) || 0)
  return others.length > watchers.reduce((sum, count) => sum + count, 0)
}

const onSignal = Object.assign(
  (signal: NodeJS.Signals): void => {
    // A host with a handler of its own decides whether it ends at all; if it does, `exit` follows.
    if (isHandledElsewhere(signal)) return
    endAll()
    groups.clear()
    disarm()
    // Nobody else handles it: do what the signal would have done.
    process.kill(process.pid, signal)
  },
  { [standsForDefault]: true },
)

function arm(): void {
  process.on('exit', endAll)
  // First, so that it still sees the handlers of the host that are there for one signal only.
  for (const signal of signals) process.prependListener(signal, onSignal)
}

function disarm(): void {
  process.off('exit', endAll)
  for (const signal of signals) process.off(signal, onSignal)
}
