import type { JsonRecord } from '../record.ts'
import type { Reply } from './channel.ts'
import type { Fault } from './fault.ts'

/** Milliseconds; time in which a human has the word does not count towards the first two. */
export interface Limits {
  /** Without an answer or a sign of progress. */
  readonly idleMs: number
  /** In all, progress or not. */
  readonly totalMs: number
  /** For one human answer. */
  readonly humanMs: number
}

export interface Pending {
  settle(reply: Reply): void
}

export interface PendingRequests {
  open(
    id: number,
    options: Limits & { onProgress?(progress: JsonRecord): void },
    done: (reply: Reply, answered: boolean) => void,
  ): Pending
  /** Whether the id was open. */
  settle(id: number, reply: Reply): boolean
  settleAll(reply: Reply): void
  progress(id: number, progress: JsonRecord): void
  whileHumanAnswers<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface Entry {
  readonly limits: Limits
  readonly onProgress: ((progress: JsonRecord) => void) | undefined
  readonly done: (reply: Reply, answered: boolean) => void
  idleAt: number
  totalAt: number
  timer: NodeJS.Timeout | undefined
}

interface Human {
  readonly open: Set<number>
  readonly controller: AbortController
}

/** The open requests of a connection and their time limits. */
export function createPending(): PendingRequests {
  const entries = new Map<number, Entry>()
  const humans = new Set<Human>()
  let pausedAt = 0

  function finish(id: number, reply: Reply, answered: boolean): boolean {
    const entry = entries.get(id)
    if (entry === undefined) return false
    entries.delete(id)
    clearTimeout(entry.timer)
    for (const human of humans) {
      // A prompt whose last asker is gone must not stay on the screen.
      if (human.open.delete(id) && human.open.size === 0) human.controller.abort()
    }
    entry.done(reply, answered)
    return true
  }

  function arm(id: number, entry: Entry): void {
    const at =
      humans.size > 0 ? pausedAt + entry.limits.humanMs : Math.min(entry.idleAt, entry.totalAt)
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => check(id, entry), Math.max(1, at - performance.now()))
  }

  function check(id: number, entry: Entry): void {
    const now = performance.now()
    const fault = overdue(entry, now, humans.size > 0 ? pausedAt : undefined)
    if (fault === undefined) arm(id, entry)
    else finish(id, { fault }, false)
  }

  function resume(): void {
    const gone = performance.now() - pausedAt
    for (const [id, entry] of entries) {
      entry.idleAt += gone
      entry.totalAt += gone
      arm(id, entry)
    }
  }

  async function whileHumanAnswers<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const human: Human = { open: new Set(entries.keys()), controller: new AbortController() }
    if (humans.size === 0) pausedAt = performance.now()
    humans.add(human)
    for (const [id, entry] of entries) arm(id, entry)
    try {
      return await run(human.controller.signal)
    } finally {
      humans.delete(human)
      if (humans.size === 0) resume()
    }
  }

  return {
    open(id, options, done) {
      const now = performance.now()
      const entry: Entry = {
        limits: options,
        onProgress: options.onProgress?.bind(options),
        done,
        idleAt: now + options.idleMs,
        totalAt: now + options.totalMs,
        timer: undefined,
      }
      entries.set(id, entry)
      arm(id, entry)
      return { settle: (reply) => finish(id, reply, false) }
    },
    settle: (id, reply) => finish(id, reply, true),
    settleAll(reply) {
      for (const id of entries.keys()) finish(id, reply, false)
      for (const human of humans) human.controller.abort()
    },
    progress(id, progress) {
      const entry = entries.get(id)
      if (entry === undefined) return
      // The timer is not touched: when it fires it looks at the time again.
      entry.idleAt = performance.now() + entry.limits.idleMs
      entry.onProgress?.(progress)
    },
    whileHumanAnswers,
  }
}

function overdue(entry: Entry, now: number, pausedAt: number | undefined): Fault | undefined {
  const { idleMs, totalMs, humanMs } = entry.limits
  if (pausedAt !== undefined) {
    return now - pausedAt >= humanMs - 1
      ? { kind: 'timeout', limit: 'human', ms: humanMs }
      : undefined
  }
  if (now >= entry.totalAt - 1) return { kind: 'timeout', limit: 'total', ms: totalMs }
  if (now >= entry.idleAt - 1) return { kind: 'timeout', limit: 'idle', ms: idleMs }
  return undefined
}
