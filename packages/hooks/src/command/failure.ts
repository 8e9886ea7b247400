import { basename } from 'node:path'

import type { CommandHookSettings } from './options.ts'
import type { CommandEnd } from './run-command.ts'

type Unfinished = Exclude<CommandEnd, { readonly kind: 'exited' | 'aborted' }>

const saidLimit = 400

/**
 * A failure of a command. Its message may reach a model, so it names the program and no path of this machine; the
 * `cause` is for operators: the command as it was given, and what the system or its stderr said.
 */
export function commandError(command: string, what: string, said = ''): Error {
  const more = said.trim().slice(0, saidLimit)
  return new Error(`Hook command "${basename(command)}" ${what}.`, {
    cause: more === '' ? command : `${command}: ${more}`,
  })
}

/** The failure of a command that did not come to an end of its own. */
export function unfinished(end: Unfinished, settings: CommandHookSettings): Error {
  const { command, args, timeoutMs } = settings
  if (end.kind === 'too_much_output')
    return commandError(command, 'wrote more than 1 MiB to stdout')
  if (end.kind === 'timeout') return commandError(command, lateness[end.reached](timeoutMs))
  const { code = 'it cannot be' } = end.error as NodeJS.ErrnoException
  const hint =
    /\s/.test(command) && args.length === 0 ? '; no shell reads it, arguments go into args' : ''
  return commandError(command, `could not be started (${code}${hint})`, end.error.message)
}

const lateness = {
  waiting: (ms: number) => `was not started within ${ms} ms, since too many others were`,
  running: (ms: number) => `did not answer within ${ms} ms`,
  written: (ms: number) =>
    `wrote to stdout, but did not end within ${ms} ms (it may wait for what it started)`,
}
