import { matchesGlob } from '@callgate/hooks'
import type { Logger } from '@callgate/spec'

import { isOurEvent, ourEvents } from './declare-events.ts'
import type { Services } from './pipeline/services.ts'
import { nearNames } from './registry/near-names.ts'
import type { Registry } from './registry/registry.ts'

/**
 * Warns of names that are most likely misspelt: of hooks on an event named almost like one of ours, or, once all tools
 * are known, with a pattern that matches none; of fallbacks that there are not.
 */
export function reportUnmatched({ bus, registry, log }: Services, knowsAllTools: boolean): void {
  const hooks = bus.list()
  if (knowsAllTools) reportFallbacks(registry, log)
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

function reportFallbacks(registry: Registry, log: Logger): void {
  for (const { id, definition } of registry.entries()) {
    const missing = definition.fallback?.filter((name) => registry.find(name) === undefined) ?? []
    if (missing.length > 0) log.warn(`${id} falls back on no known tool`, { missing })
  }
}
