import {
  defineAdapter,
  type AdapterCall,
  type AdapterInstance,
  type AdapterOutput,
  type BoundAdapter,
  type InvokeContext,
  type ToolDefinition,
  ToolError,
} from '@callgate/spec'

import { planOf, rootsFor, type FilePlan } from './declare/accept.ts'
import { toolsOf } from './declare/tools.ts'
import { refuse, throwIfAborted } from './guard/refuse.ts'
import { systemError } from './guard/system-error.ts'
import { healthOf } from './health.ts'
import type { Shared } from './operations/operation.ts'
import { isChange } from './operations/operations.ts'
import { limitsOf, optionsSchema, type FileOptions } from './options.ts'
import { rootsOf, type Root } from './roots/root.ts'
import { sharedOf } from './shared.ts'
import { sweepTemps } from './write/sweep.ts'

/**
 * The adapter for files (R8.2): reads, writes and searches below virtual roots, and nowhere else.
 *
 * Takes {@link FileOptions}; gives back the bound adapter for `createGateway({ adapters: [...] })`. It runs in the
 * process of the gateway with that user's rights: its isolation is `none`, and the roots are what holds it.
 *
 * @throws InvalidOptionsError when the name does not fit; `create` throws it for the other options.
 */
export function fileAdapter(options: FileOptions & { readonly name?: string }): BoundAdapter {
  return defineAdapter<FileOptions>({
    contract: 1,
    name: 'file',
    capabilities: { cancel: true, health: true, isolation: 'none' },
    configSchema: optionsSchema,
    create: (own) => create(own, options.name ?? 'file'),
  })(options)
}

function create(options: FileOptions, name: string): AdapterInstance {
  const roots = rootsOf(options.roots)
  const shared = sharedOf(limitsOf(options.limits))
  const plans = new WeakMap<ToolDefinition, FilePlan>()
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()

  const planFor = (tool: ToolDefinition): FilePlan => {
    const plan = plans.get(tool) ?? planOf(tool, roots)
    plans.set(tool, plan)
    return plan
  }
  return {
    start: (signal) =>
      sweepTemps(
        [...roots.values()].filter(({ write }) => write),
        signal,
      ),
    discover: async () => toolsOf(name, roots),
    accept: (tool) => void planFor(tool),
    async invoke(call, context) {
      const signal = AbortSignal.any([context.signal, stopping.signal])
      const work = run(call, planFor(call.tool), roots, shared, { ...context, signal })
      running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    },
    health: async () => healthOf(roots),
    async stop() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

async function run(
  { arguments: args }: AdapterCall,
  plan: FilePlan,
  roots: ReadonlyMap<string, Root>,
  shared: Shared,
  context: InvokeContext,
): Promise<AdapterOutput> {
  throwIfAborted(context.signal)
  const root = chosenRoot(args['root'], plan, roots)
  try {
    return await plan.operation.run({ root, args, context, shared })
  } catch (error) {
    const [first = 'path'] = Object.keys(plan.operation.paths)
    throw ToolError.isInstance(error)
      ? error
      : systemError(error, first, isChange(plan.operation) ? 'unknown' : 'no')
  }
}

/** The root that the call names, else the first in which the operation is permitted. */
function chosenRoot(asked: unknown, plan: FilePlan, roots: ReadonlyMap<string, Root>): Root {
  const [first] = rootsFor(plan, roots)
  // What is asked for and not permitted is refused by the operation, with the reason.
  const root = plan.root === undefined && typeof asked === 'string' ? roots.get(asked) : first
  return root ?? refuse('root', 'root', 'There is no such root.')
}
