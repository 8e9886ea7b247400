import type { AdapterInstance, Logger, Ports, ToolDefinition, ToolId } from '@callgate/spec'

import type { Registry } from '../registry/registry.ts'
import { toolId } from '../registry/tool-id.ts'
import { within } from './within.ts'

const discoverMs = 60_000

/** Brings what a backend announces into the registry, and takes out what it no longer has (R5.6). */
export interface Discovery {
  /** One run at a time; asked for while one runs, it runs once more. */
  run(registry: Registry): Promise<void>
}

export function createDiscovery(
  adapter: string,
  instance: AdapterInstance,
  { log, clock }: { readonly log: Logger; readonly clock: Ports['clock'] },
): Discovery {
  let known = new Set<ToolId>()
  let running: Promise<void> | undefined
  let again = false

  async function once(registry: Registry): Promise<void> {
    const found =
      (await within(clock, { ms: discoverMs, what: 'its list of tools' }, (signal) =>
        instance.discover?.(signal),
      )) ?? []
    const now = new Set<ToolId>()
    for (const announced of found) {
      const definition: ToolDefinition = {
        ...announced,
        namespace: completeNamespace(adapter, announced.namespace),
        // An adapter does not know the name it was bound under.
        backend: { ...announced.backend, adapter },
      }
      const id = toolId(definition.namespace, definition.name)
      try {
        if (!sameDefinition(registry.find(id)?.definition, definition)) {
          registry.add(definition, { owner: adapter, deferred: true })
        }
        now.add(id)
      } catch (error) {
        // One bad tool never hides the rest.
        log.warn(`tool ${id} is left out`, {
          reason: error instanceof Error ? error.message : String(error),
        })
      }
    }
    for (const id of known) if (!now.has(id)) registry.remove(id)
    known = now
  }

  async function loop(registry: Registry): Promise<void> {
    do {
      again = false
      try {
        await once(registry)
      } catch (error) {
        log.error(`the tools of "${adapter}" could not be listed`, {
          reason: error instanceof Error ? error.message : String(error),
        })
      }
    } while (again)
  }

  return {
    run(registry) {
      if (running !== undefined) {
        again = true
        return running
      }
      running = loop(registry).finally(() => {
        running = undefined
      })
      return running
    },
  }
}

function completeNamespace(adapter: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === adapter) return adapter
  return namespace.startsWith(`${adapter}::`) ? namespace : `${adapter}::${namespace}`
}

function sameDefinition(before: ToolDefinition | undefined, after: ToolDefinition): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after)
}
