import { invoke, type Firing } from './invoke.ts'
import type { Registration } from './registration.ts'

/** Runs observers off the path of the caller and knows when all have settled. */
export interface Observers {
  tell(registration: Registration, firing: Firing): void
  idle(): Promise<void>
}

export function createObservers(): Observers {
  const running = new Set<Promise<unknown>>()
  return {
    tell(registration, firing) {
      // `invoke` never throws: an observer that fails is ignored.
      const run = Promise.resolve().then(() => invoke(registration, firing))
      running.add(run)
      void run.then(() => running.delete(run))
    },
    async idle() {
      // Observers may start observers (a nested call does), so look again.
      while (running.size > 0) await Promise.all(running)
    },
  }
}
