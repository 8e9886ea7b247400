import type { Ports } from '@callgate/spec'

import type { Call } from '../pipeline/call.ts'
import { failure, type Failure } from '../results/failure.ts'
import { late } from './late.ts'

const maxWaiting = 1000

/** Gives a place back; a second time it does nothing. */
export type Release = () => void

export type Entered = Release | Failure | Promise<Release | Failure>

/** A call in line, with the milliseconds it may wait; Infinity without a deadline. */
export interface Waiter {
  readonly call: Call
  readonly waitMs: number
}

/** The places of one tool or adapter, and the line for them: so many calls of it run at once (R10.1). */
export class Bulkhead {
  readonly #clock: Ports['clock']
  /** Whose places they are. */
  readonly #what: string
  /** Of all bulkheads: where each call waits. */
  readonly #lines: Map<Call, Bulkhead>
  readonly #waiting: (() => void)[] = []
  readonly #inside = new Set<{ readonly call: Call }>()
  /** As the call that came last knows it. */
  #most = 0

  constructor(clock: Ports['clock'], what: string, lines: Map<Call, Bulkhead>) {
    this.#clock = clock
    this.#what = what
    this.#lines = lines
  }

  /** Takes one of `most` places, at once where one is free. How many there are may change with the tool. */
  enter(waiter: Waiter, most: number): Entered {
    this.#most = most
    this.#letIn()
    if (this.#inside.size < most) return this.#take(waiter.call)
    if (this.#waiting.length >= maxWaiting) {
      return failure('overloaded', `Too many calls of ${waiter.call.toolId} are waiting.`, {
        hint: 'Try again later.',
      })
    }
    if (this.#waitsForItself(waiter.call)) return this.#neverFree(most)
    return this.#wait(waiter)
  }

  #wait({ call, waitMs }: Waiter): Promise<Release | Failure> {
    return new Promise((resolve) => {
      const leave = (answer: Release | Failure): void => {
        if (timer !== undefined) this.#clock.clearTimeout(timer)
        call.stop.forget(stopped)
        this.#lines.delete(call)
        const place = this.#waiting.indexOf(start)
        if (place !== -1) this.#waiting.splice(place, 1)
        resolve(answer)
      }
      const start = (): void => leave(this.#take(call))
      this.#waiting.push(start)
      this.#lines.set(call, this)
      const stopped = {
        onStop: () => leave(failure('cancelled', 'The call was stopped before it started.')),
      }
      call.stop.tell(stopped)
      const timer = Number.isFinite(waitMs)
        ? this.#clock.setTimeout(
            () => leave(late(call, 'Others of its kind are running. Try again later.')),
            waitMs,
          )
        : undefined
    })
  }

  #take(call: Call): Release {
    const place = { call }
    this.#inside.add(place)
    return () => {
      if (this.#inside.delete(place)) this.#letIn()
    }
  }

  /** Whether none of its places comes free before the calls end inside which this one was made. */
  #waitsForItself({ lineage }: Call): boolean {
    if (lineage.parent === undefined) return false
    const around = new Set(callsFrom(lineage.parent))
    const known = new Map<Bulkhead, boolean>()
    const isStuck = (holder: Call): boolean =>
      around.has(holder) ||
      [...this.#lines].some(
        ([waiting, line]) => callsFrom(waiting).includes(holder) && isTaken(line),
      )
    // One that is come to again is in a ring without this call.
    const isTaken = (line: Bulkhead): boolean => {
      if (!known.has(line)) {
        known.set(line, false)
        const stuck = [...line.#inside].filter(({ call }) => isStuck(call))
        known.set(line, stuck.length >= line.#most)
      }
      return known.get(line)!
    }
    return isTaken(this)
  }

  #neverFree(most: number): Failure {
    return failure(
      'overloaded',
      `At most ${most} of ${this.#what} may run at once, and those that run end only after this call.`,
      {
        rule: 'concurrency',
        hint: 'Make it when the call has ended inside which it was made.',
      },
    )
  }

  /** Those in line come first, as many as there are places now. */
  #letIn(): void {
    while (this.#inside.size < this.#most && this.#waiting.length > 0) this.#waiting.shift()!()
  }
}

/** A call, and those inside which it was made. */
function callsFrom(call: Call): readonly Call[] {
  const calls = [call]
  for (let each = call.lineage.parent; each !== undefined; each = each.lineage.parent)
    calls.push(each)
  return calls
}
