import type { ToolPlan } from '../declare/plan.ts'
import { fillArgument, fillInput, type Values } from './fill-argument.ts'
import { refuseCall } from './guard.ts'
import { optionEnd } from './option-end.ts'

/** Bytes of all arguments and the environment: below what Linux takes with the usual stack limit of 8 MB. */
const longestCommand = 1_500_000

/** What a call runs. */
export interface Command {
  readonly args: readonly string[]
  readonly stdin: string | undefined
}

/**
 * Fills the template of a tool with the values of a call (B4 to B6).
 *
 * Values are put in once and never read as templates (A4). Touches nothing, but for the look at the disk that a
 * path needs.
 *
 * @throws ToolError `guard_refused`, with rule and parameter, when a value may not go where the template puts it.
 */
export function buildCommand(plan: ToolPlan, given: Values): Command {
  checkNames(plan, given)
  const values = withoutNull(plan, { ...defaultsOf(plan), ...given })
  const args: string[] = []
  const options = optionEnd(plan)
  for (const { when, each, args: group } of plan.groups) {
    if (when !== undefined && !isOn(values, when)) continue
    for (const round of roundsOf(values, each)) {
      for (const argument of group) {
        args.push(...fillArgument(plan, argument, { ...round, optionsEnded: options.haveEnded() }))
        options.pass(argument)
      }
    }
  }
  checkLength(plan, args)
  return { args, stdin: plan.stdin && fillInput(plan, plan.stdin, values) }
}

function defaultsOf({ parameters }: ToolPlan): Values {
  const defaults = [...parameters.values()].filter(({ defaultValue }) => defaultValue !== undefined)
  return Object.fromEntries(defaults.map(({ name, defaultValue }) => [name, defaultValue]))
}

/** Null is no text; where the schema lets it be a value, it says that none is given. */
function withoutNull({ parameters }: ToolPlan, values: Values): Values {
  const isGiven = ([name, value]: readonly [string, unknown]): boolean => {
    const types = parameters.get(name)?.types
    return value !== null || (types !== undefined && !types.includes('null'))
  }
  return Object.fromEntries(Object.entries(values).filter(isGiven))
}

function checkNames(plan: ToolPlan, values: Values): void {
  for (const name of Object.keys(values)) {
    if (!plan.parameters.has(name)) {
      refuseCall('unknown-param', name, `There is no parameter "${name}".`)
    }
  }
  for (const { name, isRequired, defaultValue } of plan.parameters.values()) {
    if (isRequired && defaultValue === undefined && !Object.hasOwn(values, name)) {
      refuseCall('required', name, `"${name}" is missing.`)
    }
  }
}

/** The values of each time that a group is there; with `each` that list is one of its items. */
function roundsOf(
  values: Values,
  each: string | undefined,
): readonly { readonly values: Values; readonly item: string | undefined }[] {
  if (each === undefined) return [{ values, item: undefined }]
  const list = Object.hasOwn(values, each) ? values[each] : undefined
  if (list === undefined) return []
  if (!Array.isArray(list)) return refuseCall('type', each, `"${each}" must be a list.`)
  return list.map((item: unknown) => ({ values: { ...values, [each]: item }, item: each }))
}

function isOn(values: Values, name: string): boolean {
  return Object.hasOwn(values, name) && values[name] !== undefined && values[name] !== false
}

function checkLength(plan: ToolPlan, args: readonly string[]): void {
  const texts = [...args, ...Object.entries(plan.environment).flat()]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 10, 0)
  if (bytes > longestCommand) {
    refuseCall('length', undefined, `The arguments are longer than ${longestCommand} bytes in all.`)
  }
}
