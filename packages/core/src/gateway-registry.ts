import { InvalidOptionsError } from '@callgate/spec'

import { searchTools } from './bridge/search-tools.ts'
import { listedTools } from './bridge/shown-tools.ts'
import { callable, leaf, type Check, type Misfit } from './checks/check.ts'
import { oneOf, parts } from './checks/shapes.ts'
import type { Gateway } from './options.ts'
import type { Services } from './pipeline/services.ts'
import { definitionDigest } from './policy/pins.ts'
import { texts } from './registry/definition-fields.ts'
import { addOwn } from './registry/own-tools.ts'
import { contextOf } from './turn/context.ts'

/** The registry as the program sees it that made the gateway: what it adds is its own. */
export function gatewayRegistry(services: Services): Gateway['registry'] {
  const { registry } = services
  return {
    add: (tool) => void addOwn(registry, tool),
    remove: (id) => registry.remove(id),
    get: (name) => registry.find(name)?.definition,
    allow(name) {
      const entry = registry.find(name)
      if (entry !== undefined) services.pins.allow(entry)
    },
    digest(name) {
      const definition = registry.find(name)?.definition
      return definition === undefined ? undefined : definitionDigest(definition)
    },
    wireName: (name) => registry.find(name)?.wireName,
    list: (context = {}) =>
      listedTools(contextOf(context), services).map(({ definition }) => definition),
    search(queries, options = {}) {
      refuse('registry.search', texts(queries) ?? searchOptions(options))
      const { limit = 5, context = {} } = options
      return searchTools(queries, limit, contextOf(context), services)
    },
    on(event, listener) {
      refuse('registry.on', eventName(event) ?? callable(listener))
      return registry.on(event, listener)
    },
  }
}

/** What the context has to be is looked at where it is read. */
const searchOptions: Check = parts(
  { limit: leaf('a limit of at least 0', (value) => typeof value === 'number' && value >= 0) },
  [],
)

const eventName: Check = oneOf('added', 'changed', 'removed')

/** @throws InvalidOptionsError where a method was given what it cannot use. */
function refuse(where: string, misfit: Misfit | undefined): void {
  if (misfit === undefined) return
  const message = `${where} was given ${misfit.got}; expected ${misfit.fits}.`
  throw new InvalidOptionsError({ ...misfit, rule: 'registry', where, message })
}
