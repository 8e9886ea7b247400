import { ToolError } from '@callgate/spec'

import type { RunPlan } from '../declare/plan.ts'
import type { ExecCommand } from '../exec/exec-command.ts'
import type { ExecProgram } from '../options.ts'
import type { Probe } from './report.ts'

type Values = { readonly [name: string]: unknown }

interface ExecAttack {
  readonly parameter: 'command' | 'args' | 'cwd'
  readonly name: string
  readonly input: string
  readonly values: Values
}

/** Arguments that lead a program out of the workspace, or to more than was allowed. */
const hostileArguments: readonly (readonly [name: string, input: string])[] = [
  ['parent folder', '../../etc/passwd'],
  ['absolute path', '/etc/passwd'],
  ['path behind a key', 'if=/etc/passwd'],
  ['file named by @', '@/etc/passwd'],
  ['file behind a key and <', 'data=</etc/passwd'],
  ['environment of the process', '/proc/self/environ'],
  ['local file as a URL', 'file:///etc/passwd'],
  ['path on another host', 'host.example:/etc/passwd'],
  ['option that is not listed', '--callgate-probe=pwn'],
  ['NUL', 'a\0b'],
  ['half a surrogate pair', '\uD800'],
  ['argument beyond the kernel limit', 'x'.repeat(131_072)],
]

/** A harmless call of a program, to show how it would be run. */
export function planOfExec(exec: ExecCommand): RunPlan | undefined {
  const [first] = exec.catalogue.values()
  return first && exec.prepare({ command: first.program, args: beginningOf(first) }).plan
}

/** Tries hostile calls of `exec_command` with the guards that calls go through (G2); nothing is run. */
export function probeExec(exec: ExecCommand): readonly Probe[] {
  return [...exec.catalogue.values()].flatMap((entry) =>
    attacksOn(entry).map((each) => {
      const { parameter, name, input, values } = each
      const about = { parameter, attack: `${name}, ${entry.program}`, input: input.slice(0, 80) }
      return { ...about, ...verdictOn(exec, values) }
    }),
  )
}

function attacksOn(entry: ExecProgram): readonly ExecAttack[] {
  const { program: command, subcommands } = entry
  const begin = beginningOf(entry)
  const inArguments = hostileArguments.map(([name, input]): ExecAttack => {
    return { parameter: 'args', name, input, values: { command, args: [...begin, input] } }
  })
  const others: readonly ExecAttack[] = [
    attack('command', 'program that is not listed', 'sh', { command: 'sh', args: begin }),
    attack('command', 'other path of a program', `/bin/${command}`, {
      command: `/bin/${command}`,
      args: begin,
    }),
    ...['..', '/'].map((cwd) =>
      attack('cwd', 'folder outside', cwd, { command, args: begin, cwd }),
    ),
  ]
  const first = 'callgate-probe'
  const unlisted = attack('args', 'first argument that is not listed', first, {
    command,
    args: [first],
  })
  return [...inArguments, ...others, ...(subcommands === undefined ? [] : [unlisted])]
}

function attack(
  parameter: ExecAttack['parameter'],
  name: string,
  input: string,
  values: Values,
): ExecAttack {
  return { parameter, name, input, values }
}

function beginningOf({ subcommands = [] }: ExecProgram): readonly string[] {
  return subcommands.slice(0, 1)
}

function verdictOn(exec: ExecCommand, values: Values): Pick<Probe, 'outcome' | 'rule'> {
  try {
    exec.prepare(values)
    return { outcome: 'hole' }
  } catch (error) {
    if (!ToolError.isInstance(error) || error.rule === undefined) throw error
    return { outcome: 'refused', rule: error.rule }
  }
}
