import { InvalidOptionsError } from '@callgate/spec'

import { codeRuleOf } from '../declare/code-options.ts'
import type { ExecOptions, ExecProgram } from '../options.ts'

/** The programs of `exec_command` by name. */
export type Catalogue = ReadonlyMap<string, ExecProgram>

/**
 * Reads `exec.programs` and refuses those with which the model could run anything (B3). Does no I/O.
 *
 * @throws InvalidOptionsError naming the program.
 */
export function catalogueOf(options: ExecOptions): Catalogue {
  const programs = options.programs.map((entry) =>
    typeof entry === 'string' ? { program: entry } : entry,
  )
  for (const entry of programs) refuseCode(entry, entry.program)
  return new Map(programs.map((entry) => [entry.program, entry]))
}

/**
 * Refuses a program with which the model could run anything, by its name or by the file that the name leads to.
 *
 * @throws InvalidOptionsError naming the program.
 */
export function refuseCode({ program, options = [] }: ExecProgram, file: string): void {
  const rule = codeRuleOf(file)
  if (rule === undefined) return
  if (rule.fromStdin || rule.firstOperand || rule.wrapper || rule.remote) {
    throw new InvalidOptionsError({
      rule: 'interpreter-code',
      where: 'exec.programs',
      message: `With ${program} in exec.programs the model could run any program.`,
      hint: `Declare a tool with a fixed template for what ${program} is needed for.`,
    })
  }
  const code = options.find(
    (option) => rule.option?.test(option) || rule.leadingOption?.test(option),
  )
  if (code !== undefined) {
    throw new InvalidOptionsError({
      rule: 'interpreter-code',
      where: 'exec.programs',
      message: `The option ${code} of ${program} takes program text or names a program.`,
      hint: `Remove ${code}, or declare a tool with a fixed template.`,
    })
  }
}
