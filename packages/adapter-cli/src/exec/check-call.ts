import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'

import { baseName } from '../declare/code-options.ts'
import { isInside } from '../declare/folders.ts'
import { refuseCall } from '../fill/guard.ts'
import { realPathOf } from '../fill/path-argument.ts'
import { plainText } from '../fill/value-text.ts'
import type { ExecProgram } from '../options.ts'
import type { Catalogue } from './catalogue.ts'

/** A call of the generic tool that was found good. */
export interface ExecCall {
  readonly program: ExecProgram
  readonly args: readonly string[]
  /** A real path. */
  readonly workingDir: string
}

/**
 * Decides about the whole argument vector of a call (R8.1, B5): the program, its first argument, every option and
 * every path.
 *
 * Takes the arguments of the call, the catalogue and the real path of the workspace.
 *
 * @throws ToolError `guard_refused` with rule and parameter.
 */
export function checkExecCall(
  values: { readonly [name: string]: unknown },
  catalogue: Catalogue,
  workspace: string,
): ExecCall {
  const { command, args = [], cwd = '.' } = values
  const program = typeof command === 'string' ? catalogue.get(command) : undefined
  if (program === undefined) {
    return refuseCall(
      'allow-list',
      'command',
      `"command" must be one of ${[...catalogue.keys()].join(', ')}.`,
    )
  }
  if (!Array.isArray(args)) return refuseCall('type', 'args', '"args" must be a list of texts.')
  const workingDir = directoryOf(plainText(cwd, 'cwd'), workspace)
  const texts = args.map((arg) => plainText(arg, 'args'))
  checkSubcommand(program, texts[0])
  let optionsEnded = false
  for (const text of texts) {
    if (!optionsEnded) checkOption(program, text)
    checkPath(text, workingDir, workspace)
    optionsEnded ||= text === '--' && baseName(program.program) !== 'find'
  }
  return { program, args: texts, workingDir }
}

function directoryOf(cwd: string, workspace: string): string {
  const real = inWorkspace(cwd, 'cwd', workspace, workspace)
  if (!statSync(real, { throwIfNoEntry: false })?.isDirectory()) {
    return refuseCall('working-dir', 'cwd', '"cwd" must be a folder of the workspace.')
  }
  return real
}

function checkSubcommand({ program, subcommands }: ExecProgram, first: string | undefined): void {
  if (subcommands === undefined || (first !== undefined && subcommands.includes(first))) return
  refuseCall(
    'subcommand',
    'args',
    `The first argument of ${program} must be one of ${subcommands.join(', ')}.`,
  )
}

function checkOption({ program, options = [] }: ExecProgram, text: string): void {
  if (!text.startsWith('-') || text === '--') return
  const [name = ''] = text.split('=', 1)
  if (options.includes(text) || (text.startsWith('--') && options.includes(name))) return
  refuseCall(
    'leading-dash',
    'args',
    `The option "${name}" is not allowed for ${program}; allowed are: ${options.join(' ') || 'none'}.`,
  )
}

/** An argument, or the value of an option, that leads out of the workspace when it is taken for a path. */
function checkPath(text: string, workingDir: string, workspace: string): void {
  for (const value of pathsIn(text)) {
    // A program that takes URLs may read files by them, or reach another host by what looks like one.
    if (/^(?!https?:\/\/)[a-z][a-z0-9+.-]+:\//i.test(value)) {
      refuseCall('url-scheme', 'args', 'A URL in "args" must begin with https:// or http://.')
    }
    if (value !== '') inWorkspace(value, 'args', workingDir, workspace)
  }
}

/**
 * What a program may take for a path: the argument, what stands behind `key=`, and behind the `@`, `key@` or `key=<` that
 * names a file (curl manual, --data-urlencode and --form). Where options have ended, one that begins with a dash is a path
 * as a whole.
 */
function pathsIn(text: string): readonly string[] {
  const value = text.startsWith('-') ? text.slice(text.indexOf('=') + 1) : text
  const inner = /^[\w.-]+=(.*)$/s.exec(value)?.[1] ?? value
  const named = inner === value ? /^[\w.-]*@/ : /^[@<]/
  return [...new Set([text, value, inner, inner.replace(named, '')])]
}

function inWorkspace(text: string, name: string, from: string, workspace: string): string {
  const real = realPathOf(resolve(from, text))
  if (real !== undefined && isInside(workspace, real)) return real
  const reason = `${JSON.stringify(text)} leads to ${real ?? 'nowhere that can be told'}, not below ${workspace}.`
  if (isAbsolute(text)) {
    return refuseCall(
      'absolute',
      name,
      `"${name}" may not hold an absolute path outside the workspace.`,
      reason,
    )
  }
  if (text.split(/[\\/]/).includes('..')) {
    return refuseCall(
      'dotdot',
      name,
      `"${name}" may not lead out of the workspace by "..".`,
      reason,
    )
  }
  return refuseCall(
    'symlink',
    name,
    `"${name}" may not lead out of the workspace by a link.`,
    reason,
  )
}
