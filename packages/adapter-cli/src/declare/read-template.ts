import type { ToolFaults } from '@callgate/spec'

import type { CliBackend, TemplateItem } from '../backend.ts'
import { itemOf, type Parameter } from './parameters.ts'
import type { Group } from './plan.ts'
import type { Refuse } from './refuse.ts'
import { literalStart, parametersIn, parseArgument, type Argument } from './template.ts'

const templateHint =
  'Write {x} for a declared parameter x, {x...} for a list, and name every parameter once in the template or in stdin.'

/** What a call fills. */
export interface Template {
  readonly groups: readonly Group[]
  readonly stdin: Argument | undefined
}

/**
 * Reads `argsTemplate` and `stdin`, and checks that placeholders and parameters match. Every text that is at fault is
 * noted; what follows from it is not.
 */
export function readTemplate(
  backend: CliBackend,
  parameters: ReadonlyMap<string, Parameter>,
  faults: ToolFaults,
): Template {
  const { attempt, refuse } = faults
  const before = faults.count
  const readText = (text: string, known: typeof parameters): Argument => {
    if (text.includes('{env:')) {
      refuse(
        'secret-in-arguments',
        'arguments can be read by every process of the machine, so {env:NAME} may not stand there.',
        'Give the secret in env, or on stdin by a script of your own.',
      )
    }
    const parsed = parseArgument(text, known)
    return parsed.ok ? parsed.argument : refuse('template', `${parsed.fault}.`, templateHint)
  }
  const read = (text: string, known = parameters): Argument =>
    attempt(() => readText(text, known)) ?? nothing
  const readGroup = (item: TemplateItem): Group => {
    if (typeof item === 'string') return { ...always, args: [read(item)] }
    if ('each' in item) {
      const known = attempt(() => withItem(parameters, item.each, refuse)) ?? parameters
      return { ...always, each: item.each, args: item.args.map((text) => read(text, known)) }
    }
    if (!parameters.has(item.when)) {
      attempt(() => refuse('template', `"when: ${item.when}" names no parameter.`, templateHint))
    }
    return { ...always, when: item.when, args: item.args.map((text) => read(text)) }
  }
  const groups = backend.argsTemplate.map(readGroup)
  const stdin = backend.stdin === undefined ? undefined : read(backend.stdin)
  if (stdin?.spread !== undefined) {
    refuse('template', `standard input cannot take the list "${stdin.spread}".`, templateHint)
  }
  if (faults.count === before) refuseUnused(groups, stdin, parameters, faults)
  refuseOptionNames(groups, parameters, faults)
  return { groups, stdin }
}

const always = { when: undefined, each: undefined } as const

/** The parameters as they are within a group that is there for each item of a list. */
function withItem(
  parameters: ReadonlyMap<string, Parameter>,
  name: string,
  refuse: Refuse,
): ReadonlyMap<string, Parameter> {
  const list = parameters.get(name)
  if (list === undefined) {
    return refuse('template', `"each: ${name}" names no parameter.`, templateHint)
  }
  if (list.types !== undefined && !list.types.includes('array')) {
    return refuse(
      'template',
      `"each: ${name}" names no list, but ${list.types.join(' or ')}.`,
      'Write when, or give the parameter the type array.',
    )
  }
  return new Map(parameters).set(name, itemOf(list))
}

const nothing: Argument = { pieces: [], spread: undefined }

function refuseUnused(
  groups: readonly Group[],
  stdin: Argument | undefined,
  parameters: ReadonlyMap<string, Parameter>,
  { attempt, refuse }: ToolFaults,
): void {
  const used = new Set(stdin === undefined ? [] : parametersIn(stdin))
  for (const { when, each, args } of groups) {
    if (when !== undefined) used.add(when)
    if (each !== undefined) used.add(each)
    for (const name of args.flatMap(parametersIn)) used.add(name)
  }
  for (const name of parameters.keys()) {
    if (used.has(name)) continue
    attempt(() => refuse('template', `no placeholder uses the parameter "${name}".`, templateHint))
  }
}

/** `--{x}` lets the value choose the option; only a closed list of values or a number may do that. */
function refuseOptionNames(
  groups: readonly Group[],
  parameters: ReadonlyMap<string, Parameter>,
  { attempt, refuse }: ToolFaults,
): void {
  const all = groups.flatMap(({ each, args }) => args.map((argument) => ({ each, argument })))
  for (const { each, argument } of all) {
    const [name] = parametersIn(argument)
    if (name === undefined || !/^--?$/.test(literalStart(argument))) continue
    const parameter = parameters.get(name)
    const { values, types } = (name === each && parameter ? itemOf(parameter) : parameter) ?? {}
    const numeric = types?.every((type) => type === 'integer' || type === 'number') ?? false
    if (values !== undefined || numeric) continue
    attempt(() =>
      refuse(
        'option-name',
        `the value of "${name}" would choose an option.`,
        `Give "${name}" an enum, or write the option out.`,
      ),
    )
  }
}
