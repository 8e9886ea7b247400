import type { Ports } from '@callgate/spec'

import type { Stop } from './stop.ts'

/** Work that was not waited for any longer: it took too long, or the call was stopped. What comes of it is nobody's. */
export class GivenUp extends Error {
  readonly why: 'late' | 'stopped'

  constructor(what: string, why: 'late' | 'stopped', ms: number) {
    super(why === 'late' ? `${what} took longer than ${ms} ms` : `${what} was not waited for`)
    this.name = 'GivenUp'
    this.why = why
  }
}

/**
 * Waits for work of others at most until the stop, so that a turn settles soon after it whoever does not listen; `instead`
 * makes what is taken in its place, `graceMs` milliseconds later.
 */
export function orStopped<T>(
  work: Promise<T>,
  stop: Stop,
  instead: () => T,
  grace?: { readonly clock: Ports['clock']; readonly ms: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const listener = {
      onStop(): void {
        if (grace === undefined) resolve(instead())
        else grace.clock.setTimeout(() => resolve(instead()), grace.ms)
      },
    }
    stop.tell(listener)
    work.then(
      (value) => {
        stop.forget(listener)
        resolve(value)
      },
      (error: unknown) => {
        stop.forget(listener)
        reject(error as Error)
      },
    )
  })
}

export interface Bounds {
  readonly what: string
  readonly ms: number
  readonly clock: Ports['clock']
  readonly stop?: Stop
  /** Milliseconds that are left to it at the stop; default none. */
  readonly graceMs?: number
}

/** Waits for work of others, at most so many milliseconds and at most until the stop. @throws GivenUp, and what the work throws. */
export function bounded<T>(
  work: PromiseLike<T>,
  { what, ms, clock, stop, graceMs }: Bounds,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (why: 'late' | 'stopped'): void => {
      settle()
      reject(new GivenUp(what, why, ms))
    }
    const timer = clock.setTimeout(() => giveUp('late'), ms)
    let grace: unknown
    const listener = {
      onStop(): void {
        if (graceMs === undefined) giveUp('stopped')
        else grace = clock.setTimeout(() => giveUp('stopped'), graceMs)
      },
    }
    stop?.tell(listener)
    function settle(): void {
      clock.clearTimeout(timer)
      if (grace !== undefined) clock.clearTimeout(grace)
      stop?.forget(listener)
    }
    // A thenable made by others can throw, or have no catch.
    Promise.resolve(work).finally(settle).then(resolve, reject)
  })
}
