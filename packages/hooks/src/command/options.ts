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
   * A regular expression that the whole name of the tool must match, as models see it (`mcp__files__read`). Calls of
   * other tools start no process. Default, and `*`: every tool.
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
  readonly matches: (name: string) => boolean
  readonly timeoutMs: number
  readonly failClosed: boolean
  readonly env: { readonly [name: string]: string } | undefined
  readonly cwd: string | undefined
  readonly kind: 'gate' | 'transform'
  readonly withGate: boolean
}

const known = [
  'args',
  'command',
  'cwd',
  'dialect',
  'env',
  'event',
  'failClosed',
  'kind',
  'matcher',
  'timeoutMs',
  'withGate',
]

/** Checks the options once, when the hook is made. Throws a TypeError or RangeError that names the option. */
export function settingsOf(
  options: CommandHookOptions & { readonly kind?: CommandHookSettings['kind'] },
): CommandHookSettings {
  const settings = {
    command: options.command,
    args: options.args ?? [],
    dialect: options.dialect ?? 'callgate',
    timeoutMs: options.timeoutMs ?? 4500,
    failClosed: options.failClosed ?? true,
    env: options.env,
    cwd: options.cwd,
    kind: options.kind ?? 'gate',
    withGate: options.withGate ?? false,
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw new TypeError(`commandHook has no option "${unknown}"; it knows ${known.join(', ')}.`)
  }
  check(settings)
  return {
    ...settings,
    event: options.event ?? events[settings.dialect],
    matches: matcherOf(options.matcher),
  }
}

const events = { callgate: 'pre_tool_call', 'exit-code': 'PreToolUse' }

type Checked = Pick<CommandHookSettings, 'command' | 'dialect' | 'kind' | 'timeoutMs'>

function check({ command, dialect, kind, timeoutMs }: Checked): void {
  if (typeof command !== 'string' || command.trim() === '') {
    throw new TypeError('commandHook: command must name a program.')
  }
  if (dialect !== 'callgate' && dialect !== 'exit-code') {
    throw new TypeError('commandHook: dialect must be "callgate" or "exit-code".')
  }
  if (kind !== 'gate' && kind !== 'transform') {
    throw new TypeError('commandHook: kind must be "gate" or "transform".')
  }
  if (!(timeoutMs > 0 && timeoutMs <= 600_000)) {
    throw new RangeError('commandHook: timeoutMs must be above 0 and at most 600000.')
  }
}

function matcherOf(source: string | undefined): (name: string) => boolean {
  if (source === undefined || source === '*') return () => true
  const whole = compile(source)
  return (name) => whole.test(name)
}

function compile(source: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`)
  } catch (cause) {
    throw new TypeError(`commandHook: matcher is no regular expression: ${source}`, { cause })
  }
}
