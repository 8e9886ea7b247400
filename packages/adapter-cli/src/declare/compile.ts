import type { AdapterHost, ToolDefinition } from '@callgate/spec'

import { backendSchema, type CliBackend } from '../backend.ts'
import { wrappersFor } from '../isolate/wrappers.ts'
import { allowedProgram } from './allow-list.ts'
import { environmentOf } from './environment.ts'
import { workingDirectory } from './folders.ts'
import { isolationOf, sandboxOf } from './isolation.ts'
import { parametersOf, type Parameter } from './parameters.ts'
import { defaultMaxOutputBytes, type ToolPlan } from './plan.ts'
import { parameterInProgramText } from './program-text.ts'
import { findProgram, type Program } from './program.ts'
import { readTemplate } from './read-template.ts'
import { refuserOf, type Refuse } from './refuse.ts'
import type { Settings } from './settings.ts'
import { rewriteHint } from './split-command.ts'
import type { Argument } from './template.ts'

/**
 * Checks a declared tool and makes its plan (A1, B1 to B8).
 *
 * Reads the disk: the program and the working directory must be there.
 *
 * @throws InvalidToolError with the rule that the declaration breaks and what to write instead.
 */
export function compileTool(
  tool: ToolDefinition,
  settings: Settings,
  host: Pick<AdapterHost, 'validator' | 'secret'>,
): ToolPlan {
  const refuse = refuserOf(tool)
  const backend = readBackend(tool, host, refuse)
  const { options, workspace, searchPath } = settings
  const program = allowedProgram(backend.command, searchPath, options.programs, refuse)
  const parameters = parametersOf(tool.parameters)
  const { groups, stdin } = readTemplate(backend, parameters, refuse)
  const template = groups.flatMap(({ args }) => args)
  refuseProgramText(backend, program, template, stdin, refuse)
  refuseUnknownRules(backend, parameters, refuse)
  const root = workingDirectory(undefined, workspace, refuse)
  const isolation = isolationOf(backend.isolation, options.isolation, refuse)
  const limits = { ...options.limits, ...backend.limits }
  return {
    program,
    groups,
    parameters,
    rules: backend.arguments ?? {},
    workingDir: workingDirectory(backend.workingDir, workspace, refuse),
    environment: environmentOf(
      { ...options.env, ...backend.env },
      [...(options.inheritEnv ?? []), ...(backend.inheritEnv ?? [])],
      (name) => host.secret(name),
      refuse,
    ),
    stdin,
    successCodes: backend.successCodes ?? [0],
    encoding: knownEncoding(backend.encoding ?? 'utf-8', refuse),
    maxOutputBytes: backend.maxOutputBytes ?? defaultMaxOutputBytes,
    limits,
    isolation,
    wrappers: wrappersFor(isolation, limits, settings, refuse),
    sandbox: sandboxOf(backend.sandbox ?? options.sandbox ?? {}, root),
  }
}

function readBackend(
  tool: ToolDefinition,
  host: Pick<AdapterHost, 'validator'>,
  refuse: Refuse,
): CliBackend {
  const { backend } = tool
  const { command, argsTemplate } = backend
  if (typeof argsTemplate === 'string') {
    refuse(
      'legacy-string',
      'args_template is one text, which would have to be split by a shell.',
      rewriteHint(`${typeof command === 'string' ? command : 'program'} ${argsTemplate}`),
    )
  }
  if (typeof command === 'string' && isCommandLine(command)) {
    refuse(
      'legacy-string',
      `"${command}" is a command line, not the name of a program.`,
      rewriteHint(command),
    )
  }
  const [fault] = host.validator(backendSchema)(backend)
  if (fault !== undefined) {
    refuse(
      'backend',
      `backend${fault.path} is ${fault.got}; expected ${fault.expected}.`,
      fault.suggestion ?? 'See the list of keys in the documentation of the adapter.',
    )
  }
  const checked = backend as unknown as CliBackend
  if (/\{.+\}/.test(checked.command)) {
    refuse(
      'command-template',
      `the command "${checked.command}" holds a placeholder.`,
      'Name one program; declare one tool for each program.',
    )
  }
  return checked
}

/** A path with spaces in it is a program when the file is there. */
function isCommandLine(command: string): boolean {
  return /[\s|&;<>$`]/.test(command) && findProgram(command, '') === undefined
}

function refuseUnknownRules(
  backend: CliBackend,
  parameters: ReadonlyMap<string, Parameter>,
  refuse: Refuse,
): void {
  for (const name of Object.keys(backend.arguments ?? {})) {
    if (!parameters.has(name)) {
      refuse(
        'template',
        `backend.arguments names "${name}", which is no parameter.`,
        `Use one of: ${[...parameters.keys()].join(', ') || '(there are none)'}.`,
      )
    }
  }
}

/** The name that was declared and the file that it leads to may both be known interpreters. */
function refuseProgramText(
  backend: CliBackend,
  program: Program,
  template: readonly Argument[],
  stdin: Argument | undefined,
  refuse: Refuse,
): void {
  const coded =
    parameterInProgramText(backend.command, template, stdin) ??
    parameterInProgramText(program.identity.realPath, template, stdin)
  if (coded === undefined) return
  refuse(
    'interpreter-code',
    `the value of "${coded}" would become program text for ${backend.command} or choose what it runs.`,
    'Keep the program text fixed and pass the value as an argument of its own: ["-c", "grep -e \\"$1\\" notes", "sh", "{x}"].',
  )
}

function knownEncoding(label: string, refuse: Refuse): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return refuse(
      'encoding',
      `"${label}" is no known encoding.`,
      'Use a label of the WHATWG Encoding Standard, such as utf-8, gbk or latin1.',
    )
  }
}
