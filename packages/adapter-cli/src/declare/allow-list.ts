import { basename, isAbsolute } from 'node:path'

import { findProgram, goesByName, type Program } from './program.ts'
import type { Refuse } from './refuse.ts'

/**
 * The program of a declaration: looked up once and pinned (B1, B2).
 *
 * Takes the declared command, the search path and the allow-list. Two names of one file are one program: the
 * real paths decide, and the base names only where one file holds many programs.
 */
export function allowedProgram(
  command: string,
  searchPath: string,
  allowed: readonly string[] | undefined,
  refuse: Refuse,
): Program {
  if (/\{.+\}/.test(command)) {
    return refuse(
      'command-template',
      `the command "${command}" holds a placeholder.`,
      'Name one program; declare one tool for each program.',
    )
  }
  if (/\.(bat|cmd)$/i.test(command)) {
    return refuse(
      'windows-batch',
      `"${command}" is a batch file, and cmd.exe reads its arguments a second time.`,
      'Name the program that the batch file starts.',
    )
  }
  const isName = !/[\\/]/.test(command)
  if (!isName && !isAbsolute(command)) {
    return refuse(
      allowed === undefined ? 'relative-command' : 'allow-list',
      `"${command}" is relative, so what it means depends on the working directory.`,
      'Use a name that is found in PATH, or an absolute path.',
    )
  }
  const program = findProgram(command, searchPath)
  if (allowed !== undefined && !isAllowed(command, program, searchPath, allowed)) {
    return refuse(
      'allow-list',
      `"${command}" is not among the programs that the adapter may run.`,
      `Add it to the adapter's programs, now ${allowed.join(', ') || 'none'}.`,
    )
  }
  return (
    program ??
    refuse(
      'program-missing',
      `no program "${command}" was found.`,
      'Install it, or name its absolute path in command.',
    )
  )
}

function isAllowed(
  command: string,
  program: Program | undefined,
  searchPath: string,
  allowed: readonly string[],
): boolean {
  if (program === undefined) return allowed.includes(command)
  return allowed.some((name) => {
    const other = findProgram(name, searchPath)
    if (other?.identity.realPath !== program.identity.realPath) return false
    return !goesByName(other) || basename(other.path) === basename(program.path)
  })
}
