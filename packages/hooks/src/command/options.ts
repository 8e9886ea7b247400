import {
  aFlag,
  aText,
  checkOptions,
  oneOf,
  unfit,
  type Fits,
  type Known,
} from '../check-options.ts'
import { isRecord } from '../is-record.ts'
import { namesOf } from './tool-names.ts'

/** What is spoken with the command: Callgate's own JSON, or that of hooks written for Claude Code and Hermes. */
export type CommandDialect = 'callgate' | 'exit-code'

export interface CommandHookOptions {
  /** The program: a path, or a name found in PATH. No shell reads it. */
  readonly command: string
  readonly args?: readonly string[]
  /** Default `callgate`. */
  readonly dialect?: CommandDialect
  /** What the command is told to be asked about. Default `pre_tool_call`, for `exit-code` `PreToolUse`. */
  readonly event?: string
  /**
   * A regular expression that a whole name of the tool must match: its id (`mcp::files::read`), or the name that models
   * or other programs see (`mcp__files__read`). Calls of other tools start no process. Default, `''` and `*`: every tool.
   */
  readonly matcher?: string
  /** Milliseconds, up to 600000. Default 4500, under the 5000 that a bus gives a hook. */
  readonly timeoutMs?: number
  /**
   * What a failure of the command does. true (default): the handler throws, so the call is refused. false: the call
   * goes on, and Node prints a warning.
   */
  readonly failClosed?: boolean
  /**
   * For a transform of the dialect `exit-code`: the same command is registered as a gate too, so that what it asks is
   * left to the gate. Without it such an answer makes the handler throw. Default false.
   */
  readonly withGate?: boolean
  /** All environment variables of the command. Default: those of this process. */
  readonly env?: { readonly [name: string]: string }
  /** Working folder. Default: that of this process. */
  readonly cwd?: string
}

/** Options with their defaults. */
export interface CommandHookSettings {
  readonly command: string
  readonly args: readonly string[]
  readonly dialect: CommandDialect
  readonly event: string
  readonly matches: (tool: string) => boolean
  readonly timeoutMs: number
  readonly failClosed: boolean
  readonly env: { readonly [name: string]: string } | undefined
  readonly cwd: string | undefined
  readonly kind: 'gate' | 'transform'
  readonly withGate: boolean
}

type Options = CommandHookOptions & { readonly kind?: CommandHookSettings['kind'] }

const place = 'commandHook'
const isText = (value: unknown): boolean => typeof value === 'string'
const command: Fits = {
  fits: 'the name or path of a program',
  test: (value) => isText(value) && (value as string).trim() !== '',
}

const known: Known<Options> = {
  command,
  args: { fits: 'a list of texts', test: Array.isArray },
  dialect: oneOf(['callgate', 'exit-code']),
  event: aText,
  matcher: { fits: 'a regular expression as text', test: isText },
  timeoutMs: {
    fits: 'milliseconds above 0, at most 600000',
    test: (value) => typeof value === 'number' && value > 0 && value <= 600_000,
    number: true,
  },
  failClosed: aFlag,
  withGate: aFlag,
  env: { fits: 'an object of texts', test: isRecord },
  cwd: aText,
  kind: oneOf(['gate', 'transform']),
}

/** Checks the options once, when the hook is made. Throws a TypeError or RangeError that names the option. */
export function settingsOf(options: Options): CommandHookSettings {
  checkOptions(place, options, known)
  const { args = [], dialect = 'callgate', env, kind = 'gate', withGate = false } = options
  if (options.command === undefined) throw unfit(place, 'command is', undefined, command)
  checkTexts('args', args)
  checkTexts('env', env ?? {})
  return {
    command: options.command,
    args: [...args],
    dialect,
    event: options.event ?? events[dialect],
    matches: matcherOf(options.matcher),
    timeoutMs: options.timeoutMs ?? 4500,
    failClosed: options.failClosed ?? true,
    env: env && { ...env },
    cwd: options.cwd,
    kind,
    withGate,
  }
}

const events = { callgate: 'pre_tool_call', 'exit-code': 'PreToolUse' }

function checkTexts(option: string, texts: object): void {
  for (const [key, value] of Object.entries(texts)) {
    if (!isText(value)) throw unfit(place, `${option}.${key} is`, value, { fits: 'text' })
  }
}

/** A guard whose matcher is blank guards every tool, as in Claude Code: none would be a guard of nothing. */
function matcherOf(source = ''): (tool: string) => boolean {
  if (source.trim() === '' || source === '*') return () => true
  const whole = compile(source)
  return (tool) => [...namesOf(tool)].some((name) => whole.test(name))
}

function compile(source: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`)
  } catch (cause) {
    throw new TypeError(`commandHook: matcher is no regular expression: ${source}`, { cause })
  }
}
