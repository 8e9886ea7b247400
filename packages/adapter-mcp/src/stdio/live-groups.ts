import process from 'node:process'

import { killTree } from './kill.ts'

/** Process groups that this host made and that may still have members. */
const live = new Set<number>()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Marks a listener that only stands for what a signal does by default; other packages of Callgate use it too. */
const standsForDefault: unique symbol = Symbol.for('callgate.stands-for-default') as never

/**
 * Remembers a group, so that it ends with the host: on `exit` (an uncaught exception included) and on the usual
 * signals where nobody else handles them; their default effect is kept. Gives back how to forget it.
 */
export function holdGroup(pid: number): () => void {
  if (live.size === 0) arm()
  live.add(pid)
  return () => {
    if (live.delete(pid) && live.size === 0) disarm()
  }
}

function killAll(): void {
  for (const pid of live) killTree(pid, 'SIGKILL')
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
    killAll()
    live.clear()
    disarm()
    // Nobody else handles it: do what the signal would have done.
    process.kill(process.pid, signal)
  },
  { [standsForDefault]: true },
)

function arm(): void {
  process.on('exit', killAll)
  // First, so that it still sees the handlers of the host that are there for one signal only.
  for (const signal of signals) process.prependListener(signal, onSignal)
}

function disarm(): void {
  process.off('exit', killAll)
  for (const signal of signals) process.off(signal, onSignal)
}
