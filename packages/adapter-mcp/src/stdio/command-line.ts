import { existsSync } from 'node:fs'
import path from 'node:path'

/** What `spawn` is given. */
export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  readonly verbatim: boolean
}

/**
 * How a command is started. Everywhere but on Windows: as it is. There, `npx` and its like are `.cmd` files,
 * found through PATHEXT and run by cmd.exe with every argument escaped for it.
 */
export function commandLine(
  command: string,
  args: readonly string[],
  platform: string,
  env: Readonly<Record<string, string>>,
  exists: (file: string) => boolean = existsSync,
): CommandLine {
  if (platform !== 'win32') return { file: command, args, verbatim: false }
  const file = findWindows(command, env, exists) ?? command
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, verbatim: false }
  const line = [escapeForCmd(path.win32.normalize(file)), ...args.map(escapeArgument)].join(' ')
  return {
    file: valueOf(env, 'COMSPEC') ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  }
}

function findWindows(
  command: string,
  env: Readonly<Record<string, string>>,
  exists: (file: string) => boolean,
): string | undefined {
  const extensions = (valueOf(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';')
  const endings = path.win32.extname(command) === '' ? extensions : ['', ...extensions]
  const folders = /[\\/]/.test(command) ? [''] : (valueOf(env, 'PATH') ?? '').split(';')
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.win32.join(folder, command + ending)
      if (exists(file)) return file
    }
  }
  return undefined
}

function valueOf(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]
}

/** Quoted for the C run-time first, then every character that cmd.exe reads is escaped: twice, since a .cmd shim hands the line on. */
function escapeArgument(text: string): string {
  const quoted = `"${text.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\*)$/, '$1$1')}"`
  return escapeForCmd(escapeForCmd(quoted))
}

function escapeForCmd(text: string): string {
  return text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
