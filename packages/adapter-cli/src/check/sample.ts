import type { ArgumentRule } from '../backend.ts'
import type { Parameter } from '../declare/parameters.ts'
import type { ToolPlan } from '../declare/plan.ts'

/** Harmless values for all parameters of a tool, so that one at a time can be attacked. */
export function sampleValues(plan: ToolPlan): { readonly [name: string]: unknown } {
  const samples = [...plan.parameters.values()].map(
    (parameter) => [parameter.name, sampleOf(parameter, plan.rules[parameter.name])] as const,
  )
  return Object.fromEntries(samples)
}

/** Puts a text where a parameter takes one: itself, or the one item of its list. */
export function asValue(parameter: Parameter, text: string): unknown {
  return isList(parameter) ? [text] : text
}

/** Whether a value of the parameter can be a text of the model's choice. */
export function takesText({ types, values, itemValues }: Parameter): boolean {
  if (values !== undefined || itemValues !== undefined) return false
  return types === undefined || types.includes('string') || types.includes('array')
}

function sampleOf(parameter: Parameter, rule: ArgumentRule = {}): unknown {
  const { types, values, itemValues } = parameter
  if (values !== undefined) return values[0]
  if (itemValues !== undefined) return [itemValues[0]]
  if (types === undefined || types.includes('string') || isList(parameter)) {
    return asValue(parameter, sampleText(rule))
  }
  return types.includes('boolean') ? true : 1
}

function sampleText({ kind, schemes }: ArgumentRule): string {
  if (kind === 'path') return '.'
  if (kind === 'url') return `${schemes?.[0] ?? 'https'}://host.example/`
  return kind === 'host' ? 'host.example' : 'sample'
}

function isList({ types }: Parameter): boolean {
  return types?.length === 1 && types[0] === 'array'
}
