import { randomUUID } from 'node:crypto'

import { callgateDialect } from './callgate-dialect.ts'
import { fit, type GateDecision, type TransformDecision } from './decision.ts'
import type { Dialect } from './dialect.ts'
import { exitCodeDialect } from './exit-code-dialect.ts'
import { commandError, unfinished } from './failure.ts'
import {
  settingsOf,
  type CommandDialect,
  type CommandHookOptions,
  type CommandHookSettings,
} from './options.ts'
import type { CommandHookPayload } from './payload.ts'
import { runCommand } from './run-command.ts'

/** A handler for `bus.on(event, handler, { kind: 'gate' })`. */
export type CommandGate = (payload: CommandHookPayload) => Promise<GateDecision | undefined>
/** A handler for `bus.on(event, handler, { kind: 'transform' })`. */
export type CommandTransform = (
  payload: CommandHookPayload,
) => Promise<TransformDecision | undefined>

const dialects: { readonly [D in CommandDialect]: Dialect } = {
  callgate: callgateDialect,
  'exit-code': exitCodeDialect,
}

/**
 * Makes a hook of a command in any language (R4.1, R4.3).
 *
 * Takes the command and how to talk to it; gives back a handler. For each call of a tool that `matcher` names, the
 * handler starts the command, writes the payload to its stdin as JSON (at most 8 MiB) and reads a decision from its
 * stdout (at most 1 MiB).
 *
 * In the dialect `callgate` the input is `{ hook: 1, kind, event, nonce, …payload }` and the answer
 * `{ nonce, decision }`: for kind gate `allow`, `block` or `ask`, for kind transform `modify` or `block`, null for
 * none. Only an answer with the nonce counts, from a command that exits with 0. In the dialect `exit-code` hooks
 * written for Claude Code and Hermes work: exit code 2 blocks; exit code 0 says what its JSON says
 * (`hookSpecificOutput`, `decision` and `reason`, or `action` and `message`).
 *
 * A gate decides and cannot change arguments; a transform changes or blocks and cannot ask. An answer of the other
 * kind makes the handler throw, whatever `failClosed` says: it would be lost. A command of the dialect `exit-code`
 * that does both is registered twice, as a transform with `withGate: true` and as a gate, which then judges the
 * arguments that will run.
 *
 * @throws TypeError or RangeError at once for an option that does not fit. The handler throws when the command
 * failed (it is missing, crashes, is late, answers wrongly) and `failClosed` is not false; the message names the
 * program and its exit code, the `cause` the whole path and what stderr said. When `payload.signal` is aborted it throws the reason.
 */
export function commandHook(
  options: CommandHookOptions & { readonly kind: 'transform' },
): CommandTransform
export function commandHook(options: CommandHookOptions & { readonly kind?: 'gate' }): CommandGate
export function commandHook(
  options: CommandHookOptions & { readonly kind?: 'gate' | 'transform' },
): CommandGate & CommandTransform {
  const settings = settingsOf(options)
  return ((payload: CommandHookPayload) => decide(settings, payload)) as CommandGate &
    CommandTransform
}

type Answer = GateDecision | TransformDecision | undefined

const inputLimit = 8 * 1024 * 1024

async function decide(settings: CommandHookSettings, payload: CommandHookPayload): Promise<Answer> {
  if (!settings.matches(payload.tool ?? '')) return undefined
  const { command } = settings
  const { signal } = payload
  signal?.throwIfAborted()
  const dialect = dialects[settings.dialect]
  const nonce = randomUUID()
  const input = dialect.input(payload, settings, nonce)
  if (Buffer.byteLength(input) > inputLimit) {
    return fail(settings, commandError(command, 'was not asked: the call is larger than 8 MiB'))
  }
  const end = await runCommand({ ...settings, input, signal })
  if (end.kind === 'aborted') throw signal?.reason
  if (end.kind !== 'exited') return fail(settings, unfinished(end, settings))
  const verdict = dialect.verdict(end, nonce)
  if ('fault' in verdict) return fail(settings, commandError(command, verdict.fault, end.stderr))
  return fit(verdict, settings, payload.arguments)
}

/** A failure of the command: it throws, or is said aloud where the call may go on without the hook. */
function fail({ failClosed }: CommandHookSettings, error: Error): undefined {
  if (failClosed) throw error
  process.emitWarning(error.message, { type: 'CallgateHookWarning', detail: String(error.cause) })
  return undefined
}
