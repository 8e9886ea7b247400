import {
  defineAdapter,
  requireOptions,
  type AdapterInstance,
  type BoundAdapter,
  type Logger,
  type ToolDefinition,
} from '@callgate/spec'

import { planOf, type FilePlan } from './declare/accept.ts'
import { toolsOf } from './declare/tools.ts'
import { healthOf } from './health.ts'
import { invoke } from './invoke.ts'
import { limitsOf, optionsSchema, type FileOptions } from './options.ts'
import { rootsOf } from './roots/root.ts'
import { runningCalls } from './running-calls.ts'
import { sharedOf } from './shared.ts'
import { sweepTemps } from './write/sweep.ts'

/**
 * The adapter for files (R8.2): reads, writes and searches below virtual roots, and nowhere else.
 *
 * Takes {@link FileOptions}; gives back the bound adapter for `createGateway({ adapters: [...] })`. It runs in the
 * process of the gateway with that user's rights: its isolation is `none`, and the roots are what holds it.
 *
 * @throws InvalidOptionsError when the name does not fit, or there are no options; `create` throws it for the other options.
 */
export function fileAdapter(options: FileOptions & { readonly name?: string }): BoundAdapter {
  requireOptions('file', options)
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
  const calls = runningCalls()

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
    invoke: (call, context) =>
      calls.run(context.signal, async (signal) =>
        invoke(call, planFor(call.tool), roots, shared, { ...context, signal }),
      ),
    health: async () => healthOf(roots),
    stop: ({ graceMs }) => calls.stop(graceMs),
  }
}
