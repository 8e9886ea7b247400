import type { ArgumentRule } from '../backend.ts'
import { itemOf, type Parameter } from '../declare/parameters.ts'
import type { ToolPlan } from '../declare/plan.ts'
import { literalStart, parametersIn, type Argument } from '../declare/template.ts'
import { refuseCall } from './guard.ts'
import { byKind } from './kinds.ts'
import {
  checkClosed,
  checkType,
  checkUnicode,
  longestArgument,
  scalarText,
  textOfValue,
} from './value-text.ts'

export type Values = { readonly [name: string]: unknown }

/** A parameter's value as sent, and what it is checked by. */
interface Filled {
  readonly parameter: Parameter
  readonly values: readonly unknown[] | undefined
  readonly rule: ArgumentRule
  readonly text: string
}

/** What an argument is filled from. */
export interface Filling {
  readonly values: Values
  /** The list whose value is one of its items here. */
  readonly item: string | undefined
  readonly optionsEnded: boolean
}

/** One argument, or one for each item of its list, or none when an optional value is not given. */
export function fillArgument(
  plan: ToolPlan,
  argument: Argument,
  filling: Filling,
): readonly string[] {
  const { values } = filling
  if (!allGiven(argument, values)) return []
  const { spread } = argument
  if (spread === undefined) return [joinArgument(plan, argument, filling)]
  const items = values[spread]
  if (!Array.isArray(items)) return refuseCall('type', spread, `"${spread}" must be a list.`)
  return items.map((item: unknown) =>
    joinArgument(plan, argument, {
      ...filling,
      values: { ...values, [spread]: item },
      item: spread,
    }),
  )
}

/** The text for standard input; undefined when an optional value is not given. */
export function fillInput(plan: ToolPlan, input: Argument, values: Values): string | undefined {
  if (!allGiven(input, values)) return undefined
  const parts = input.pieces.map((piece) => {
    if ('text' in piece) return piece.text
    const name = piece.parameter
    const parameter = parameterOf(plan, name)
    checkType(values[name], parameter)
    checkClosed(values[name], name, parameter.values)
    const text = scalarText(values[name], name)
    checkUnicode(text, name)
    return byKind(text, name, plan.rules[name] ?? {}, plan)
  })
  return parts.join('')
}

function joinArgument(plan: ToolPlan, argument: Argument, filling: Filling): string {
  const parts = argument.pieces.map((piece): string | Filled =>
    'text' in piece ? piece.text : fillPlaceholder(plan, piece.parameter, filling),
  )
  if (!filling.optionsEnded) checkLeadingDash(argument, parts)
  const text = parts
    .map((part) =>
      typeof part === 'string' ? part : byKind(part.text, part.parameter.name, part.rule, plan),
    )
    .join('')
  if (Buffer.byteLength(text) > longestArgument) {
    const [name] = parametersIn(argument)
    refuseCall('length', name, `An argument would be longer than ${longestArgument} bytes.`)
  }
  return text
}

function fillPlaceholder(plan: ToolPlan, name: string, { values, item }: Filling): Filled {
  const declared = parameterOf(plan, name)
  const parameter = item === name ? itemOf(declared) : declared
  const rule = plan.rules[name] ?? {}
  checkType(values[name], parameter)
  return {
    parameter,
    values: parameter.values,
    rule,
    text: textOfValue(values[name], parameter, parameter.values, rule),
  }
}

/** A value may not turn an argument into an option (B5); looked at as sent, before a path becomes `./…`. */
function checkLeadingDash(argument: Argument, parts: readonly (string | Filled)[]): void {
  if (literalStart(argument) !== '') return
  const first = parts.find((part) => (typeof part === 'string' ? part : part.text) !== '')
  if (first === undefined || typeof first === 'string' || !first.text.startsWith('-')) return
  if (first.values !== undefined || first.rule.optionValue) return
  const { name } = first.parameter
  refuseCall('leading-dash', name, `"${name}" may not begin with "-": it would be an option.`)
}

function allGiven(argument: Argument, values: Values): boolean {
  return parametersIn(argument).every(
    (name) => Object.hasOwn(values, name) && values[name] !== undefined,
  )
}

function parameterOf(plan: ToolPlan, name: string): Parameter {
  const parameter = plan.parameters.get(name)
  if (parameter === undefined) throw new Error(`The template names no parameter "${name}".`)
  return parameter
}
