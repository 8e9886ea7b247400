import type { Subject } from '../../src/measure.ts'

/** A way by which a tool is called, measured in a process of its own. */
export interface PeerSubject extends Subject {
  /** `call`: one after the other, by the nearest public path. `turn`: by the loop, a hundred calls in a message. */
  readonly table: 'call' | 'turn'
  /** Calls in a chunk; fewer for slow ones. */
  readonly chunk: number
}

/** Calls in one message of the model. */
export const turnSize = 100

/** The ids of the calls of a message. */
export const callIds: readonly string[] = Array.from({ length: turnSize }, (_, n) => `c${n}`)

/** One call after the other. `once` gives whether it worked. */
export function calls(name: string, chunk: number, once: () => Promise<boolean>): PeerSubject {
  return {
    name,
    table: 'call',
    chunk,
    async run(count) {
      for (let n = 0; n < count; n++) {
        if (!(await once())) throw new Error(`a call failed: ${name}`)
      }
    },
  }
}

/** One message after the other. `once` gives how many calls of it were answered. */
export function turns(name: string, chunk: number, once: () => Promise<number>): PeerSubject {
  return {
    name,
    table: 'turn',
    chunk,
    async run(count) {
      for (let n = 0; n < count; n += turnSize) {
        const answered = await once()
        if (answered !== turnSize) throw new Error(`${answered} calls answered: ${name}`)
      }
    },
  }
}
