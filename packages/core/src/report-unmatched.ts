import { matchesGlob } from '@callgate/hooks'

import { isOurEvent, ourEvents } from './declare-events.ts'
import type { Services } from './pipeline/services.ts'
import { nearNames } from './registry/near-names.ts'

/**
 * Warns of hooks that are most likely misspelt: on an event named almost like one of ours, or, once all tools are known,
 * with a pattern that matches none.
 */
export function reportUnmatched({ bus, registry, log }: Services, knowsAllTools: boolean): void {
  const hooks = bus.list()
  if (hooks.length === 0) return
  const ids = knowsAllTools ? [...registry.entries()].map(({ id }) => id) : undefined
  for (const { id, event, match } of hooks) {
    const [meant] = isOurEvent(event) ? [] : nearNames(event, ourEvents)
    if (meant !== undefined) {
      log.warn(`hook "${id}" is on "${event}", which is never fired; did you mean "${meant}"?`)
    }
    if (match === undefined || ids?.some((tool) => matchesGlob(match, tool)) !== false) continue
    log.warn(`hook "${id}" on ${event} matches no known tool`, { match })
  }
}
