import { setTimeout as sleep } from 'node:timers/promises'

import {
  defineAdapter,
  type AdapterCall,
  type AdapterInstance,
  type AdapterOutput,
  type BoundAdapter,
  type InvokeContext,
  type Logger,
  type ToolDefinition,
  ToolError,
} from '@callgate/spec'

import { planOf, rootsFor, type FilePlan } from './declare/accept.ts'
import { normalizePath } from './declare/normalize-path.ts'
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
    create: (own, { log }) => create(own, options.name ?? 'file', log),
  })(options)
}

function create(options: FileOptions, name: string, log: Logger): AdapterInstance {
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
    async start(signal) {
      const writable = [...roots.values()].filter(({ write }) => write)
      const isDone = await sweepTemps(writable, signal)
      if (!isDone)
        log.warn('What earlier processes left half written was not looked for everywhere.')
    },
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
    async stop({ graceMs }) {
      stopping.abort()
      const grace = new AbortController()
      const over = sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)
      await Promise.race([Promise.allSettled(running), over])
      grace.abort()
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
    return await plan.operation.run({ root, args: argumentsFor(plan, root, args), context, shared })
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

function argumentsFor(
  { operation, normalizePath: own }: FilePlan,
  root: Root,
  args: AdapterCall['arguments'],
): AdapterCall['arguments'] {
  if (!(own ?? root.normalizePath)) return args
  const paths = Object.keys(operation.paths).filter((name) => Object.hasOwn(args, name))
  return {
    ...args,
    ...Object.fromEntries(paths.map((name) => [name, normalizePath(root, args[name])])),
  }
}
