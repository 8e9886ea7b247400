import type { Verdict } from './decision.ts'
import type { CommandHookSettings } from './options.ts'
import type { CommandHookPayload } from './payload.ts'
import type { CommandEnd } from './run-command.ts'

export type CommandExit = CommandEnd & { readonly kind: 'exited' }

/** A failure of the command; the text goes on after its name. */
export interface CommandFault {
  readonly fault: string
}

/** How one kind of command is spoken to. */
export interface Dialect {
  input(payload: CommandHookPayload, settings: CommandHookSettings, nonce: string): string
  verdict(end: CommandExit, nonce: string): Verdict | CommandFault
}

/** The failure of a command that ended with an exit code, or by a signal, that says nothing. */
export function exitFault({ code, signal }: CommandExit): CommandFault {
  return { fault: code === null ? `was ended by ${signal}` : `ended with exit code ${code}` }
}
