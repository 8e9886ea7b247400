import type { CliBackend } from '../backend.ts'
import type { Parameter } from './parameters.ts'
import type { Group } from './plan.ts'
import type { Refuse } from './refuse.ts'
import { literalStart, parametersIn, parseArgument, type Argument } from './template.ts'

const templateHint =
  'Write {x} for a declared parameter x, {x...} for a list, and name every parameter once in args_template or stdin.'

/** Reads `argsTemplate` and `stdin`, and checks that placeholders and parameters match. */
export function readTemplate(
  backend: CliBackend,
  parameters: ReadonlyMap<string, Parameter>,
  refuse: Refuse,
): { readonly groups: readonly Group[]; readonly stdin: Argument | undefined } {
  const read = (text: string): Argument => {
    if (text.includes('{env:')) {
      refuse(
        'secret-in-arguments',
        'arguments can be read by every process of the machine, so {env:NAME} may not stand there.',
        'Give the secret in env, or on stdin by a script of your own.',
      )
    }
    const parsed = parseArgument(text, parameters)
    return parsed.ok ? parsed.argument : refuse('template', `${parsed.fault}.`, templateHint)
  }
  const groups = backend.argsTemplate.map((item): Group => {
    if (typeof item === 'string') return { when: undefined, args: [read(item)] }
    if (!parameters.has(item.when)) {
      refuse('template', `"when: ${item.when}" names no parameter.`, templateHint)
    }
    return { when: item.when, args: item.args.map(read) }
  })
  const stdin = backend.stdin === undefined ? undefined : read(backend.stdin)
  if (stdin?.spread !== undefined) {
    refuse('template', `standard input cannot take the list "${stdin.spread}".`, templateHint)
  }
  refuseUnused(groups, stdin, parameters, refuse)
  refuseOptionNames(groups, parameters, refuse)
  return { groups, stdin }
}

function refuseUnused(
  groups: readonly Group[],
  stdin: Argument | undefined,
  parameters: ReadonlyMap<string, Parameter>,
  refuse: Refuse,
): void {
  const used = new Set(stdin === undefined ? [] : parametersIn(stdin))
  for (const { when, args } of groups) {
    if (when !== undefined) used.add(when)
    for (const name of args.flatMap(parametersIn)) used.add(name)
  }
  for (const name of parameters.keys()) {
    if (!used.has(name)) {
      refuse('template', `no placeholder uses the parameter "${name}".`, templateHint)
    }
  }
}

/** `--{x}` lets the value choose the option; only a closed list of values or a number may do that. */
function refuseOptionNames(
  groups: readonly Group[],
  parameters: ReadonlyMap<string, Parameter>,
  refuse: Refuse,
): void {
  for (const argument of groups.flatMap(({ args }) => args)) {
    const [name] = parametersIn(argument)
    if (name === undefined || !/^--?$/.test(literalStart(argument))) continue
    const { values, types } = parameters.get(name) ?? {}
    const numeric = types?.every((type) => type === 'integer' || type === 'number') ?? false
    if (values === undefined && !numeric) {
      refuse(
        'option-name',
        `the value of "${name}" would choose an option.`,
        `Give "${name}" an enum, or write the option out.`,
      )
    }
  }
}
