import {
  InvalidOptionsError,
  isBoundAdapter,
  type AdapterInstance,
  type BoundAdapter,
  type ToolDefinition,
} from '@callgate/spec'

import type { AdapterHealth } from '../options.ts'
import type { Registry } from '../registry/registry.ts'
import { builtInAdapters } from '../registry/tool-entry.ts'
import { HostedAdapter, type Surroundings } from './hosted-adapter.ts'

export interface HostOptions extends Surroundings {
  readonly adapters: readonly BoundAdapter[]
}

/** The adapters of one gateway and how each of them is. One that fails leaves the rest alone. */
export interface AdapterHosts {
  has(name: string): boolean
  /** Whether it says that it serves batches: what is not declared is not there. */
  servesBatches(name: string): boolean
  /** Lets the adapter of a declared tool refuse it. @throws InvalidToolError */
  accept(tool: ToolDefinition): void
  /** The running instance. @throws ToolError `backend_unavailable` when it does not start. */
  running(name: string): AdapterInstance | Promise<AdapterInstance>
  start(registry: Registry): Promise<void>
  health(): Promise<readonly AdapterHealth[]>
  close(): Promise<void>
}

export function createAdapterHosts(options: HostOptions): AdapterHosts {
  const hosted = new Map<string, HostedAdapter>()
  let registry: Registry | undefined
  for (const bound of options.adapters) {
    checkAdapter(bound, hosted)
    hosted.set(bound.name, new HostedAdapter(bound, options, () => registry))
  }

  return {
    has: (name) => hosted.has(name),
    servesBatches: (wanted) =>
      options.adapters.some(
        ({ name, definition }) => name === wanted && definition.capabilities?.batch === true,
      ),
    accept: (tool) => hosted.get(tool.backend.adapter)?.accept(tool),
    running: (name) => hosted.get(name)!.running(),
    async start(into) {
      if (registry === undefined) watchTools(into, hosted)
      registry = into
      await Promise.allSettled([...hosted.values()].map((adapter) => adapter.start()))
    },
    health: () => Promise.all([...hosted.values()].map((adapter) => adapter.health())),
    async close() {
      await Promise.allSettled([...hosted.values()].map((adapter) => adapter.close()))
    },
  }
}

/** Any tool that comes may bring the first health check of its adapter, or a sooner one. */
function watchTools(registry: Registry, hosted: ReadonlyMap<string, HostedAdapter>): void {
  for (const event of ['added', 'changed'] as const) {
    registry.on(event, (id) => {
      const tool = registry.find(id)?.definition
      if (tool?.healthCheck !== undefined)
        hosted.get(tool.backend.adapter)?.watch(tool.healthCheck.intervalMs)
    })
  }
}

function checkAdapter(bound: BoundAdapter, hosted: ReadonlyMap<string, HostedAdapter>): void {
  if (!isBoundAdapter(bound)) {
    throw new InvalidOptionsError({
      rule: 'adapter-brand',
      where: 'adapters',
      message: 'An entry of `adapters` was not made by defineAdapter.',
      hint: 'Call the adapter with its options, for example cliAdapter({}).',
    })
  }
  if (!hosted.has(bound.name) && !builtInAdapters.has(bound.name)) return
  throw new InvalidOptionsError({
    rule: 'adapter-duplicate',
    where: bound.name,
    message: `Two adapters are named "${bound.name}".`,
    hint: 'Give one of them another name in its options.',
  })
}
