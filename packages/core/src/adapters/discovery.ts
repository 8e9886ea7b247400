import type { AdapterInstance, Logger, Ports } from '@callgate/spec'

import type { Registry } from '../registry/registry.ts'
import type { Stop } from '../turn/stop.ts'
import { createAnnouncedTools } from './announced-tools.ts'

/** A backend whose list changes whenever it is asked for it is asked so often in a row, then again some milliseconds later. */
const maxInARow = 3
const changingMs = 1000
/** One that was not there is asked again so many milliseconds later. */
export const awayMs = 30_000

/** Brings what a backend announces into the registry, and takes out what it no longer has (R5.6). */
export interface Discovery {
  /** One run at a time; asked for while one runs, it runs once more. */
  run(registry: Registry): Promise<void>
  /** In so many milliseconds it wants to run again; undefined where it has the whole list. */
  readonly againMs: number | undefined
  /** What is missing of the last list: tools that were left out, or all of it; undefined while nothing is. */
  readonly trouble: string | undefined
}

export function createDiscovery(
  adapter: string,
  instance: AdapterInstance,
  around: { readonly log: Logger; readonly clock: Ports['clock']; readonly stop: Stop },
): Discovery {
  const announced = createAnnouncedTools(adapter, instance, around)
  const { log, stop } = around
  let running: Promise<void> | undefined
  let again = false

  async function loop(registry: Registry): Promise<void> {
    for (let row = 0; row < maxInARow; row++) {
      again = false
      await announced.list(registry)
      if (!again || stop.stopped) return
    }
    log.warn(`the tools of "${adapter}" change whenever they are listed`, { lists: maxInARow })
  }

  function run(registry: Registry): Promise<void> {
    if (running !== undefined) {
      again = true
      return running
    }
    // Not at once: an adapter may tell of a change while it is asked, which is one more run and no run in this one.
    running = Promise.resolve()
      .then(() => loop(registry))
      .finally(() => {
        running = undefined
      })
    return running
  }

  return {
    run,
    get againMs() {
      return again ? changingMs : announced.failed ? awayMs : undefined
    },
    get trouble() {
      return announced.trouble
    },
  }
}
