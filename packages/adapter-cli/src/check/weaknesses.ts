import { isInside } from '../declare/folders.ts'
import type { RunPlan, ToolPlan } from '../declare/plan.ts'
import { literalStart, parametersIn } from '../declare/template.ts'
import type { CliOptions } from '../options.ts'
import type { Weakness } from './report.ts'
import { takesText } from './sample.ts'

/** Variables with which a program loads code or reads another configuration. */
const loadingVariables =
  /^(LD_|DYLD_|GIT_|PYTHON|PERL5|RUBY|NODE_OPTIONS$|BASH_ENV$|ENV$|RIPGREP_CONFIG_PATH$|IFS$)/
const pathName = /(^|_)(path|file|filename|dir|directory|folder)s?$/i

/** What a declaration leaves open: for the operator to judge (G1). */
export function weaknessesOf(
  plan: ToolPlan,
  options: CliOptions,
  workspace: string,
): readonly Weakness[] {
  return [
    ...ofAllowList(options),
    ...weaknessesOfRun(plan, workspace),
    ...ofParameters(plan),
    ...ofOptionValues(plan),
  ]
}

/** What the way in which a program is run leaves open, whatever its arguments. */
export function weaknessesOfRun(plan: RunPlan, workspace: string): readonly Weakness[] {
  return [...ofProgram(plan, workspace), ...ofEnvironment(plan)]
}

function ofAllowList({ programs }: CliOptions): readonly Weakness[] {
  if (programs !== undefined) return []
  return [{ rule: 'no-allow-list', message: 'The adapter has no list of programs.' }]
}

function ofProgram(plan: RunPlan, workspace: string): readonly Weakness[] {
  const found: Weakness[] = []
  if (plan.isolation === 'none') {
    const message = 'It runs as the user of the gateway and can read what the gateway can.'
    found.push({ rule: 'no-sandbox', message })
  } else if (plan.sandbox.network) {
    found.push({ rule: 'network', message: 'Its sandbox has the network of the machine.' })
  }
  if (Object.keys(plan.limits).length === 0) {
    const message = 'Nothing limits its memory, processor time and files.'
    found.push({ rule: 'no-limits', message })
  }
  if (isInside(workspace, plan.program.identity.realPath)) {
    const message = 'Its program lies in the workspace, where other tools may write.'
    found.push({ rule: 'program-in-workspace', message })
  }
  return found
}

function ofEnvironment(plan: RunPlan): readonly Weakness[] {
  const loading = Object.keys(plan.environment).filter((name) => loadingVariables.test(name))
  return loading.map((name) => ({
    rule: 'loading-variable',
    message: `${name} makes programs load code or configuration.`,
  }))
}

function ofParameters(plan: ToolPlan): readonly Weakness[] {
  return [...plan.parameters.values()].filter(takesText).flatMap((parameter): Weakness[] => {
    const { name, pattern } = parameter
    if (pattern !== undefined && !isAnchored(pattern)) {
      const message = 'Its pattern fits a part of a value; begin it with ^ and end it with $.'
      return [{ rule: 'pattern-open', parameter: name, message }]
    }
    const { kind = 'text' } = plan.rules[name] ?? {}
    if (kind === 'text' && pathName.test(name)) {
      const message = 'It is named like a path and not checked as one; declare kind: path.'
      return [{ rule: 'path-unchecked', parameter: name, message }]
    }
    if (kind === 'url' || kind === 'host') {
      const message = 'The program resolves the name itself: where it leads is not checked.'
      return [{ rule: 'address-unchecked', parameter: name, message }]
    }
    return []
  })
}

/** JSON Schema looks for a pattern anywhere in a text. */
function isAnchored(pattern: string): boolean {
  const isClosed = pattern.startsWith('^') && /(^|[^\\])\$$/.test(pattern)
  return isClosed && (!pattern.includes('|') || /^\^\(.*\)\$$/s.test(pattern))
}

/** `optionValue` is only true behind an option. */
function ofOptionValues(plan: ToolPlan): readonly Weakness[] {
  const template = plan.groups.flatMap(({ args }) => args)
  return template.flatMap((argument, index): Weakness[] => {
    const [name] = parametersIn(argument)
    if (name === undefined || literalStart(argument) !== '') return []
    const before = template[index - 1]
    const isBehindOption = before !== undefined && /^-./.test(literalStart(before))
    if (plan.rules[name]?.optionValue !== true || isBehindOption) return []
    const message = 'It is declared as the value of an option, but no option stands before it.'
    return [{ rule: 'option-value', parameter: name, message }]
  })
}
