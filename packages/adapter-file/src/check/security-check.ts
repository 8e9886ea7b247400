import {
  InvalidToolError,
  type AdapterHost,
  type Logger,
  type ToolDefinition,
} from '@callgate/spec'

import { fileAdapter } from '../adapter.ts'
import { planOf, rootsFor, type FilePlan } from '../declare/accept.ts'
import { toolsOf } from '../declare/tools.ts'
import { anchored } from '../guard/open-entry.ts'
import type { FileOptions } from '../options.ts'
import { rootsOf, type Root } from '../roots/root.ts'
import { probeTool } from './probe.ts'
import type { FileProbe, FileSecurityReport, FileToolFacts, FileToolSecurity } from './report.ts'
import { weaknessesOf } from './weaknesses.ts'

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Looks at file tools as they are declared, and tries hostile paths on each of their parameters (G1, G2, R13.1).
 *
 * Takes the options of the adapter, the tools that were declared for it (those that it offers are checked too), and
 * from the host the validator. Each attack is a real call below a throw-away root with the rules of the declared one;
 * the declared roots are not touched.
 *
 * @throws InvalidOptionsError when the options do not fit, as the adapter does.
 */
export async function securityCheck(
  options: FileOptions,
  tools: readonly ToolDefinition[],
  host: Pick<AdapterHost, 'validator'>,
): Promise<FileSecurityReport> {
  const { validator } = host
  fileAdapter(options).create({
    validator,
    secret: String,
    log: silent,
    toolsChanged: () => undefined,
  })
  const roots = rootsOf(options.roots)
  const name = nameOf(options)
  const offered = toolsOf(name, roots).map((tool) => ({ namespace: name, ...tool }))
  const checked: FileToolSecurity[] = []
  for (const tool of [...offered, ...tools]) {
    // oxlint-disable-next-line no-await-in-loop -- folders are made and taken away for each
    checked.push(await checkTool(tool, options, roots, host))
  }
  const ok = checked.every(
    ({ refused, probes }) =>
      refused === undefined && probes.every(({ outcome }) => outcome !== 'hole'),
  )
  return { ok, tools: checked }
}

/** As the adapter is bound: its tools are called so. */
function nameOf({ name = 'file' }: FileOptions & { readonly name?: string }): string {
  return name
}

async function checkTool(
  tool: ToolDefinition,
  options: FileOptions,
  roots: ReadonlyMap<string, Root>,
  host: Pick<AdapterHost, 'validator'>,
): Promise<FileToolSecurity> {
  const id = `${tool.namespace}::${tool.name}`
  let plan: FilePlan
  try {
    plan = planOf(tool, roots)
  } catch (error) {
    if (!InvalidToolError.isInstance(error)) throw error
    const { rule = '', message, hint = '' } = error
    return { tool: id, refused: { rule, message, hint }, weaknesses: [], probes: [] }
  }
  const permitted = rootsFor(plan, roots)
  const validate = host.validator(tool.parameters)
  const probes: FileProbe[] = []
  for (const root of permitted) {
    // oxlint-disable-next-line no-await-in-loop -- folders are made and taken away for each
    probes.push(...(await probeTool({ tool, plan, options, validate }, root)))
  }
  return {
    tool: id,
    facts: factsOf(plan, permitted),
    weaknesses: permitted.flatMap((root) => weaknessesOf(plan.operation, root, options.limits)),
    probes,
  }
}

function factsOf({ operation }: FilePlan, roots: readonly Root[]): FileToolFacts {
  return {
    operation: operation.name,
    roots: roots.map(({ name, declaredPath, read, write, links, hardLinks, denyPatterns }) => {
      return { name, path: declaredPath, read, write, links, hardLinks, deny: denyPatterns }
    }),
    containment: anchored ? 'descriptor' : 'name',
  }
}
