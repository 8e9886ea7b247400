import { ToolError, type FieldFault } from '@callgate/spec'

import type { Parameter } from '../declare/parameters.ts'
import type { ToolPlan } from '../declare/plan.ts'
import { parametersIn } from '../declare/template.ts'
import { buildCommand } from '../fill/build-command.ts'
import { attacksOn, type Attack } from './attacks.ts'
import type { Probe } from './report.ts'
import { asValue, sampleValues, takesText } from './sample.ts'

type Validate = (value: unknown) => readonly FieldFault[]

/** Tries the attacks on every parameter of a tool that takes text, with the guards that calls go through (G2). */
export function probeTool(plan: ToolPlan, validate: Validate): readonly Probe[] {
  const samples = sampleValues(plan)
  return [...plan.parameters.values()].filter(takesText).flatMap((parameter) =>
    attacksOn(plan.rules[parameter.name] ?? {}).map((attack) => {
      const values = { ...samples, [parameter.name]: asValue(parameter, attack.value) }
      return probe(plan, parameter, attack, values, validate)
    }),
  )
}

function probe(
  plan: ToolPlan,
  parameter: Parameter,
  attack: Attack,
  values: { readonly [name: string]: unknown },
  validate: Validate,
): Probe {
  const about = {
    parameter: parameter.name,
    attack: attack.name,
    input: attack.value.slice(0, 80),
  }
  // A name may begin with another one; whether its value fits says nothing about this one.
  const fault = validate(values).find(({ path }) => `${path}/`.startsWith(`/${parameter.name}/`))
  if (fault !== undefined) return { ...about, outcome: 'refused', rule: fault.constraint }
  try {
    const { args } = buildCommand(plan, values)
    const isHarmless = isInput(plan, parameter.name) || isHarmlessIn(args, plan, parameter, attack)
    return { ...about, outcome: isHarmless ? 'literal' : 'hole' }
  } catch (error) {
    if (!ToolError.isInstance(error) || error.rule === undefined) throw error
    return { ...about, outcome: 'refused', rule: error.rule }
  }
}

/** Whether the value reached one argument unchanged, where it means nothing. */
function isHarmlessIn(
  args: readonly string[],
  plan: ToolPlan,
  { name }: Parameter,
  { value, harmlessAsText }: Attack,
): boolean {
  const at = args.findIndex((arg) => arg.includes(value))
  const argument = args[at]
  if (argument === undefined) return false
  if (harmlessAsText) return true
  // A dash is data after `--`, as an option's value, and within an argument that begins otherwise.
  const ended = args.slice(0, at).some((arg) => arg === '--' || arg === '--end-of-options')
  const isData = !argument.startsWith(value) || ended || plan.rules[name]?.optionValue === true
  return value.startsWith('-') && isData
}

function isInput({ groups, stdin }: ToolPlan, name: string): boolean {
  const isArgument = groups.some(({ args }) => args.some((arg) => parametersIn(arg).includes(name)))
  return !isArgument && stdin !== undefined && parametersIn(stdin).includes(name)
}
