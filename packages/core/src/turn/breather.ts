import type { Ports } from '@callgate/spec'

/** So many milliseconds of a turn are worked at a stretch. */
const stretchMs = 20

/**
 * Lets others have the thread now and then: tools that answer at once never give it away, and without it no stop
 * arrives. Only work that was done at once counts, so that tools that wait for something are never waited for longer.
 */
export class Breather {
  readonly #clock: Ports['clock']
  #worked = 0

  constructor(clock: Ports['clock']) {
    this.#clock = clock
  }

  /** Does a piece of work and notes how long it held the thread. */
  work<T>(piece: () => T): T {
    const startedAt = this.#clock.now()
    const given = piece()
    this.#worked += this.#clock.now() - startedAt
    return given
  }

  /** A pause, once there was enough work for one. */
  pause(): Promise<void> | undefined {
    if (this.#worked < stretchMs) return undefined
    this.#worked = 0
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, 0))
  }
}
