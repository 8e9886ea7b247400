import {
  defineAdapter,
  requireOptions,
  type AdapterHost,
  type AdapterInstance,
  type BoundAdapter,
  type ToolDefinition,
  type ToolId,
} from '@callgate/spec'

import { compileTool } from './declare/compile.ts'
import type { ToolPlan } from './declare/plan.ts'
import { findProgram } from './declare/program.ts'
import { settingsOf } from './declare/settings.ts'
import { catalogueOf } from './exec/catalogue.ts'
import { openExec, type ExecCommand } from './exec/exec-command.ts'
import { execKey, execTool } from './exec/exec-tool.ts'
import { buildCommand } from './fill/build-command.ts'
import { runCommand } from './invoke.ts'
import { checkIsolators } from './isolate/isolator.ts'
import { optionsSchema, type CliOptions } from './options.ts'
import { directLauncher } from './process/direct-launcher.ts'
import type { Launcher } from './process/request.ts'
import { runnerLauncher } from './runner/runner-launcher.ts'

const defaultGraceMs = 500

/**
 * The adapter for programs (R8.1): runs what a tool declares, without a shell, and leaves nothing behind.
 *
 * Takes {@link CliOptions}; gives back the bound adapter for `createGateway({ adapters: [...] })`. Its isolation is
 * `process`, or `sandbox` when every tool runs in one.
 *
 * @throws InvalidOptionsError when the name does not fit, or there are no options; `create` throws it for the others.
 */
export function cliAdapter(options: CliOptions & { readonly name?: string }): BoundAdapter {
  requireOptions('cli', options)
  const bind = defineAdapter<CliOptions>({
    contract: 1,
    name: 'cli',
    capabilities: {
      cancel: true,
      progress: true,
      health: true,
      isolation: (options.isolation ?? 'none') === 'none' ? 'process' : 'sandbox',
    },
    configSchema: optionsSchema,
    create: (own, host) => create(own, host, options.name ?? 'cli'),
  })
  return bind(options)
}

function create(options: CliOptions, host: AdapterHost, name: string): AdapterInstance {
  checkIsolators(options)
  const settings = settingsOf(options)
  const catalogue = options.exec && catalogueOf(options.exec)
  const graceMs = options.graceMs ?? defaultGraceMs
  const plans = new Map<ToolId, { readonly tool: ToolDefinition; readonly plan: ToolPlan }>()
  let exec: ExecCommand | undefined
  let current: Launcher | undefined

  const launcher = (): Launcher =>
    (current ??= options.runner === false ? directLauncher(true) : runnerLauncher())
  const planOf = (tool: ToolDefinition): ToolPlan => {
    const id = `${tool.namespace}::${tool.name}`
    const known = plans.get(id)
    if (known?.tool === tool) return known.plan
    const plan = compileTool(tool, settings, host)
    plans.set(id, { tool, plan })
    return plan
  }
  const isExec = (tool: ToolDefinition): boolean =>
    exec !== undefined && tool.backend[execKey] === true
  return {
    // The gateway is small now, and what an earlier one left is ended before anything runs.
    start: async () => void launcher(),
    discover: async () => {
      if (catalogue === undefined) return []
      exec = openExec(catalogue, settings, host, name)
      return exec.catalogue.size === 0 ? [] : [execTool(name, exec.catalogue)]
    },
    accept: (tool) => {
      if (!isExec(tool)) planOf(tool)
    },
    invoke: async ({ tool, arguments: values }, context) => {
      if (exec !== undefined && isExec(tool)) {
        const { plan, command } = exec.prepare(values)
        return runCommand(plan, command, launcher(), graceMs, context)
      }
      const plan = planOf(tool)
      return runCommand(plan, buildCommand(plan, values), launcher(), graceMs, context)
    },
    health: async () => {
      const programs = [...plans.values()].map(({ plan }) => plan.program.path)
      const gone = programs.filter((path) => findProgram(path, '') === undefined)
      return gone.length === 0
        ? { state: 'ok' }
        : { state: 'degraded', reason: `not there any more: ${gone.join(', ')}` }
    },
    stop: async ({ graceMs: limitMs }) => {
      await current?.stop(limitMs)
      current = undefined
    },
  }
}
