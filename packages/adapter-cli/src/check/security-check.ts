import { existsSync } from 'node:fs'

import {
  InvalidToolError,
  type AdapterHost,
  type Logger,
  type ToolDefinition,
  type ToolId,
} from '@callgate/spec'

import { cliAdapter } from '../adapter.ts'
import { compileTool } from '../declare/compile.ts'
import type { RunPlan } from '../declare/plan.ts'
import { settingsOf } from '../declare/settings.ts'
import { catalogueOf } from '../exec/catalogue.ts'
import { openExec } from '../exec/exec-command.ts'
import type { CliOptions, ExecOptions } from '../options.ts'
import { planOfExec, probeExec } from './exec-check.ts'
import { probeTool } from './probe.ts'
import type { CliSecurityReport, ToolFacts, ToolSecurity } from './report.ts'
import { weaknessesOf, weaknessesOfRun } from './weaknesses.ts'

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Looks at tools as they are declared, and tries hostile values on each of their parameters (G1, G2).
 *
 * Takes the options of the adapter, the tools that were declared for it (`exec_command`, where it is offered, is checked
 * too), and from the host the validator and the secrets. Every value goes through the schema and the guards that a call
 * goes through; no program is run. Reads the disk: programs, working directories, and what paths lead to.
 *
 * @throws InvalidOptionsError when the options do not fit, as the adapter does.
 */
export function securityCheck(
  options: CliOptions,
  tools: readonly ToolDefinition[],
  host: Pick<AdapterHost, 'validator' | 'secret'>,
): CliSecurityReport {
  cliAdapter(options).create({ ...host, log: silent, toolsChanged: () => undefined })
  const exec = options.exec === undefined ? [] : [checkExec(options, options.exec, host)]
  const checked = [...exec, ...tools.map((tool) => checkTool(options, tool, host))]
  const ok = checked.every(
    ({ refused, probes }) =>
      refused === undefined && probes.every(({ outcome }) => outcome !== 'hole'),
  )
  return { ok, tools: checked }
}

function checkTool(
  options: CliOptions,
  tool: ToolDefinition,
  host: Pick<AdapterHost, 'validator' | 'secret'>,
): ToolSecurity {
  const settings = settingsOf(options)
  const id = `${tool.namespace}::${tool.name}`
  try {
    const plan = compileTool(tool, settings, host)
    return {
      tool: id,
      facts: factsOf(plan),
      weaknesses: weaknessesOf(plan, options, settings.workspace),
      probes: probeTool(plan, host.validator(tool.parameters)),
    }
  } catch (error) {
    return refusedTool(id, error)
  }
}

function checkExec(
  options: CliOptions & { readonly name?: string },
  exec: ExecOptions,
  host: Pick<AdapterHost, 'validator' | 'secret'>,
): ToolSecurity {
  const settings = settingsOf(options)
  const { name = 'cli' } = options
  const id: ToolId = `${name}::exec_command`
  try {
    const quiet = { ...host, log: silent, toolsChanged: () => undefined }
    const opened = openExec(catalogueOf(exec), settings, quiet, name)
    const plan = planOfExec(opened)
    if (plan === undefined) return { tool: id, weaknesses: [], probes: [] }
    return {
      tool: id,
      facts: { ...factsOf(plan), program: [...opened.catalogue.keys()].join(', ') },
      weaknesses: weaknessesOfRun(plan, settings.workspace),
      probes: probeExec(opened),
    }
  } catch (error) {
    return refusedTool(id, error)
  }
}

function refusedTool(id: ToolId, error: unknown): ToolSecurity {
  if (!InvalidToolError.isInstance(error)) throw error
  const { rule = '', message, hint = '' } = error
  return { tool: id, refused: { rule, message, hint }, weaknesses: [], probes: [] }
}

function factsOf(plan: RunPlan): ToolFacts {
  return {
    program: plan.program.path,
    workingDir: plan.workingDir,
    isolation: plan.isolation,
    treeEnd: treeEndOf(plan),
    environment: Object.keys(plan.environment),
    limits: plan.limits,
    network: plan.isolation === 'none' || plan.sandbox.network,
    writable: plan.sandbox.writable,
  }
}

function treeEndOf({ isolation, wrappers }: RunPlan): ToolFacts['treeEnd'] {
  if (isolation === 'bubblewrap') return 'pid-namespace'
  if (wrappers.cgroup !== undefined) return 'cgroup'
  return existsSync('/proc/self/stat') ? 'process-table' : 'process-group'
}
