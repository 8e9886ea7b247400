import type { AdapterInstance, Logger, Ports, ToolDefinition, ToolId } from '@callgate/spec'

import { isRecord } from '../registry/read-data.ts'
import type { Registry } from '../registry/registry.ts'
import { checkIsTool } from '../registry/tool-entry.ts'
import { toolId } from '../registry/tool-id.ts'
import { textOfThrown } from '../results/thrown.ts'
import type { Stop } from '../turn/stop.ts'
import { within } from './within.ts'

const discoverMs = 60_000
/** So many tools that were left out are named where the health is told; the log names all. */
const maxNamed = 3

/** What one backend announces, as it stands in the registry. */
export interface AnnouncedTools {
  /** Asks for the list once, brings it into the registry and takes out what is no longer in it. Never rejects. */
  list(registry: Registry): Promise<void>
  /** What is missing of the last list: tools that were left out, or all of it; undefined while nothing is. */
  readonly trouble: string | undefined
  /** Whether the last list could not be had at all. */
  readonly failed: boolean
}

export function createAnnouncedTools(
  adapter: string,
  instance: AdapterInstance,
  {
    log,
    clock,
    stop,
  }: { readonly log: Logger; readonly clock: Ports['clock']; readonly stop: Stop },
): AnnouncedTools {
  let known = new Set<ToolId>()
  let trouble: string | undefined
  let failed = false

  function bring(found: unknown, registry: Registry): void {
    if (!Array.isArray(found)) throw new Error('discover gave no list')
    const now = new Set<ToolId>()
    const leftOut: string[] = []
    for (const [index, announced] of (found as readonly unknown[]).entries()) {
      try {
        const tool = complete(announced, adapter)
        const id = toolId(tool.namespace, tool.name)
        if (now.has(id)) throw new Error('listed twice')
        if (put(id, tool, adapter, registry)) now.add(id)
      } catch (error) {
        // One bad tool never hides the rest.
        const name = nameOf(announced, index)
        const reason = textOfThrown(error)
        leftOut.push(`${name} (${reason})`)
        log.warn(`tool ${name} of "${adapter}" is left out`, { reason })
      }
    }
    trouble = leftOut.length === 0 ? undefined : tellLeftOut(leftOut)
    for (const id of known) {
      // The program may have put one of its own in the place of one that it took out.
      if (!now.has(id) && registry.find(id)?.owner === adapter) registry.remove(id)
    }
    known = now
  }

  return {
    get trouble() {
      return trouble
    },
    get failed() {
      return failed
    },
    async list(registry) {
      if (instance.discover === undefined) return
      const bounds = { what: 'its list of tools', ms: discoverMs, clock, stop }
      try {
        bring(await within(bounds, (signal) => instance.discover!(signal)), registry)
        failed = false
      } catch (error) {
        if (stop.stopped) return
        failed = true
        const reason = textOfThrown(error)
        const now = `the tools could not be listed: ${reason}`
        // It is asked again and again.
        if (now !== trouble) log.error(`the tools of "${adapter}" could not be listed`, { reason })
        trouble = now
      }
    },
  }
}

/** A tool in whole: an adapter does not know the name it was bound under. @throws InvalidToolError */
function complete(announced: unknown, adapter: string): ToolDefinition {
  checkIsTool(announced)
  const { namespace, backend = {} } = announced
  return {
    ...announced,
    namespace: completeNamespace(adapter, namespace),
    backend: isRecord(backend) ? { ...backend, adapter } : backend,
  } as unknown as ToolDefinition
}

/**
 * Puts a tool into the registry, unless it is there as it is; gives whether it is the adapter's then, which it is not where
 * the program declares the same. @throws InvalidToolError
 */
function put(id: ToolId, tool: ToolDefinition, adapter: string, registry: Registry): boolean {
  const before = registry.find(id)
  if (before?.id === id && sameDefinition(before.definition, tool)) return before.owner === adapter
  registry.add(tool, { owner: adapter, deferred: true })
  return true
}

function completeNamespace(adapter: string, namespace: unknown): unknown {
  if (namespace === undefined || namespace === adapter) return adapter
  // The registry refuses what is no text.
  if (typeof namespace !== 'string' || namespace.startsWith(`${adapter}::`)) return namespace
  return `${adapter}::${namespace}`
}

/** What to call an entry that may be anything. */
function nameOf(announced: unknown, index: number): string {
  const name = isRecord(announced) ? announced['name'] : undefined
  return typeof name === 'string' && name !== '' ? name.slice(0, 128) : `number ${index + 1}`
}

function tellLeftOut(tools: readonly string[]): string {
  const more = tools.length > maxNamed ? ` and ${tools.length - maxNamed} more` : ''
  return `tools are left out: ${tools.slice(0, maxNamed).join(', ')}${more}`
}

function sameDefinition(before: ToolDefinition, after: ToolDefinition): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
