import type { JsonRecord } from '../record.ts'
import type { Fault } from './fault.ts'
import type { Reply } from './reply.ts'

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

type Done = (reply: Reply, answered: boolean) => void

interface Entry {
  readonly limits: Limits
  readonly onProgress: ((progress: JsonRecord) => void) | undefined
  readonly done: Done
  readonly openedAt: number
  idleAt: number
  totalAt: number
  timer: NodeJS.Timeout | undefined
}

interface Question {
  readonly since: number
  /** Whether any open request may wait for it; else it stands for itself. */
  readonly holds: boolean
  readonly askers: Set<number>
  readonly controller: AbortController
}

/** The open requests of a connection and their time limits. */
export class PendingRequests {
  readonly #entries = new Map<number, Entry>()
  readonly #questions = new Set<Question>()
  #pausedAt = 0
  #humanMs = 0

  /** Milliseconds in which a human had the word, so far. */
  get humanMs(): number {
    const open = this.#questions.size > 0 ? performance.now() - this.#pausedAt : 0
    return this.#humanMs + open
  }

  /** `answered` tells `done` a reply of the server from an end of our own making. */
  open(
    id: number,
    options: Limits & { onProgress?(progress: JsonRecord): void },
    done: Done,
  ): Pending {
    const now = performance.now()
    const entry: Entry = {
      limits: options,
      onProgress: options.onProgress?.bind(options),
      done,
      openedAt: now,
      idleAt: now + options.idleMs,
      totalAt: now + options.totalMs,
      timer: undefined,
    }
    this.#entries.set(id, entry)
    this.#arm(id, entry)
    return { settle: (reply) => void this.#finish(id, reply, false) }
  }

  /** Whether the id was open. */
  settle(id: number, reply: Reply): boolean {
    return this.#finish(id, reply, true)
  }

  settleAll(reply: Reply): void {
    for (const id of this.#entries.keys()) this.#finish(id, reply, false)
    for (const question of this.#questions) question.controller.abort()
  }

  progress(id: number, progress: JsonRecord): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    // The timer is not touched: when it fires it looks at the time again.
    entry.idleAt = performance.now() + entry.limits.idleMs
    entry.onProgress?.(progress)
  }

  async whileHumanAnswers<T>(run: (signal: AbortSignal) => Promise<T>, holds: boolean): Promise<T> {
    const question: Question = {
      since: performance.now(),
      holds,
      askers: new Set(holds ? this.#entries.keys() : []),
      controller: new AbortController(),
    }
    if (this.#questions.size === 0) this.#pausedAt = question.since
    this.#questions.add(question)
    if (holds) for (const [id, entry] of this.#entries) this.#arm(id, entry)
    try {
      return await run(question.controller.signal)
    } finally {
      this.#questions.delete(question)
      if (this.#questions.size === 0) this.#resume(holds)
    }
  }

  #finish(id: number, reply: Reply, answered: boolean): boolean {
    const entry = this.#entries.get(id)
    if (entry === undefined) return false
    this.#entries.delete(id)
    clearTimeout(entry.timer)
    for (const { askers, controller } of this.#questions) {
      // A prompt whose last asker is gone must not stay on the screen.
      if (askers.delete(id) && askers.size === 0) controller.abort()
    }
    entry.done(reply, answered)
    return true
  }

  #arm(id: number, entry: Entry): void {
    const since = this.#heldSince(entry)
    const at =
      since === undefined ? Math.min(entry.idleAt, entry.totalAt) : since + entry.limits.humanMs
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => this.#check(id, entry), Math.max(1, at - performance.now()))
  }

  #check(id: number, entry: Entry): void {
    const fault = overdue(entry, this.#heldSince(entry))
    if (fault === undefined) this.#arm(id, entry)
    else this.#finish(id, { fault }, false)
  }

  /** Since when the oldest open question holds a request; one that came later is held since it came. */
  #heldSince(entry: Entry): number | undefined {
    const [oldest] = this.#questions
    return oldest?.holds === true ? Math.max(oldest.since, entry.openedAt) : undefined
  }

  #resume(held: boolean): void {
    const now = performance.now()
    this.#humanMs += now - this.#pausedAt
    if (!held) return
    for (const [id, entry] of this.#entries) {
      const gone = now - Math.max(this.#pausedAt, entry.openedAt)
      entry.idleAt += gone
      entry.totalAt += gone
      this.#arm(id, entry)
    }
  }
}

/** Timers may fire a little early, hence the millisecond. */
function overdue(entry: Entry, heldSince: number | undefined): Fault | undefined {
  const now = performance.now() + 1
  const { idleMs, totalMs, humanMs } = entry.limits
  if (heldSince !== undefined) {
    return now >= heldSince + humanMs ? { kind: 'timeout', limit: 'human', ms: humanMs } : undefined
  }
  if (now >= entry.totalAt) return { kind: 'timeout', limit: 'total', ms: totalMs }
  return now >= entry.idleAt ? { kind: 'timeout', limit: 'idle', ms: idleMs } : undefined
}
