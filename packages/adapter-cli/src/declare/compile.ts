import {
  describeFault,
  toolFaults,
  type AdapterHost,
  type ToolDefinition,
  type ToolFaults,
} from '@callgate/spec'

import { backendSchema, type CliBackend } from '../backend.ts'
import { wrappersFor } from '../isolate/wrappers.ts'
import { allowedProgram } from './allow-list.ts'
import { environmentOf } from './environment.ts'
import { workingDirectory } from './folders.ts'
import { isolationOf, sandboxOf } from './isolation.ts'
import { parametersOf, type Parameter } from './parameters.ts'
import { plainWords } from './plain-words.ts'
import { defaultMaxOutputBytes, spillBytesOf, type ToolPlan } from './plan.ts'
import { parameterInProgramText } from './program-text.ts'
import { findProgram, goesByName, type Program } from './program.ts'
import { readTemplate, type Template } from './read-template.ts'
import type { Refuse } from './refuse.ts'
import type { Settings } from './settings.ts'
import { rewriteHint } from './split-command.ts'
import type { Argument } from './template.ts'

/**
 * Checks a declared tool and makes its plan (A1, B1 to B8).
 *
 * Reads the disk: the program and the working directory must be there.
 *
 * @throws InvalidToolError with every rule that the declaration breaks and what to write instead.
 */
export function compileTool(
  tool: ToolDefinition,
  settings: Settings,
  host: Pick<AdapterHost, 'validator' | 'secret'>,
): ToolPlan {
  const faults = toolFaults(tool)
  const { refuse, attempt } = faults
  const backend = readBackend(tool, host, faults)
  const { options, workspace, searchPath } = settings
  const parameters = parametersOf(tool.parameters)
  const program = attempt(() =>
    allowedProgram(backend.command, searchPath, options.programs, refuse),
  )
  const template = attempt(() => readTemplate(backend, parameters, faults))
  if (template !== undefined) {
    attempt(() => refuseProgramText(backend, program, withoutClosed(template, parameters), refuse))
  }
  refuseUnknownRules(backend, parameters, faults)
  const limits = { ...options.limits, ...backend.limits }
  const isolation = attempt(() => isolationOf(backend.isolation, options.isolation, refuse))
  const root = attempt(() => workingDirectory(undefined, workspace, refuse))
  const parts = {
    program,
    template,
    isolation,
    root,
    workingDir:
      root === undefined
        ? undefined
        : attempt(() => workingDirectory(backend.workingDir, workspace, refuse)),
    environment: attempt(() => declaredEnvironment(backend, settings, host, faults)),
    encoding: attempt(() => knownEncoding(backend.encoding ?? 'utf-8', refuse)),
    wrappers:
      isolation === undefined
        ? undefined
        : attempt(() => wrappersFor(isolation, limits, settings, refuse)),
  }
  faults.end()
  const { root: sandboxRoot, template: read, ...found } = parts as Whole<typeof parts>
  return {
    ...found,
    ...read,
    parameters,
    rules: backend.arguments ?? {},
    successCodes: backend.successCodes ?? [0],
    exitCodes: backend.exitCodes ?? {},
    maxOutputBytes: backend.maxOutputBytes ?? defaultMaxOutputBytes,
    spillBytes: spillBytesOf(backend.spill, options.spill),
    limits,
    sandbox: sandboxOf(backend.sandbox ?? options.sandbox ?? {}, sandboxRoot),
  }
}

/** Parts of which none was refused. */
type Whole<Parts> = { readonly [part in keyof Parts]: NonNullable<Parts[part]> }

function declaredEnvironment(
  backend: CliBackend,
  { options }: Settings,
  host: Pick<AdapterHost, 'secret'>,
  faults: ToolFaults,
): ToolPlan['environment'] {
  const declared = { ...options.env, ...backend.env }
  const inherit = [...(options.inheritEnv ?? []), ...(backend.inheritEnv ?? [])]
  return environmentOf(declared, inherit, (name) => host.secret(name), faults)
}

const keysHint = 'See the list of keys in the documentation of the adapter.'

/** What else is wrong cannot be told while the block itself is not as it should be. */
function readBackend(
  tool: ToolDefinition,
  host: Pick<AdapterHost, 'validator'>,
  faults: ToolFaults,
): CliBackend {
  const backend = plainWords(tool.backend)
  const { attempt, refuse } = faults
  attempt(() => refuseLegacy(backend, refuse))
  faults.end()
  for (const fault of host.validator(backendSchema)(backend)) {
    const { message, hint = keysHint } = describeFault(fault, `backend${fault.path}`)
    attempt(() => refuse('backend', message, hint))
  }
  faults.end()
  return backend as unknown as CliBackend
}

function refuseLegacy(
  { command, argsTemplate }: { readonly [key: string]: unknown },
  refuse: Refuse,
): void {
  if (typeof argsTemplate === 'string') {
    refuse(
      'legacy-string',
      'argsTemplate is one text, which would have to be split by a shell.',
      rewriteHint(`${typeof command === 'string' ? command : 'program'} ${argsTemplate}`),
    )
  }
  if (typeof command !== 'string') return
  if (isCommandLine(command)) {
    refuse(
      'legacy-string',
      `"${command}" is a command line, not the name of a program.`,
      rewriteHint(command),
    )
  }
}

/** A path with spaces in it is a program when the file is there. */
function isCommandLine(command: string): boolean {
  return /[\s|&;<>$`]/.test(command) && findProgram(command, '') === undefined
}

function refuseUnknownRules(
  backend: CliBackend,
  parameters: ReadonlyMap<string, Parameter>,
  { attempt, refuse }: ToolFaults,
): void {
  for (const name of Object.keys(backend.arguments ?? {})) {
    if (parameters.has(name)) continue
    attempt(() =>
      refuse(
        'template',
        `backend.arguments names "${name}", which is no parameter.`,
        `Use one of: ${[...parameters.keys()].join(', ') || '(there are none)'}.`,
      ),
    )
  }
}

/** One of a closed list of values is the operator's own text, wherever it stands. */
function withoutClosed(
  { groups, stdin }: Template,
  parameters: ReadonlyMap<string, Parameter>,
): Template {
  const fixed = (argument: Argument): Argument => ({
    ...argument,
    pieces: argument.pieces.map((piece) => {
      const { values, itemValues } =
        ('parameter' in piece ? parameters.get(piece.parameter) : undefined) ?? {}
      const [first] = values ?? itemValues ?? []
      return typeof first === 'string' ? { text: first } : piece
    }),
  })
  return {
    groups: groups.map((group) => ({ ...group, args: group.args.map(fixed) })),
    stdin: stdin && fixed(stdin),
  }
}

/** The name that was declared and the file that it leads to may both be known interpreters. */
function refuseProgramText(
  backend: CliBackend,
  program: Program | undefined,
  { groups, stdin }: Template,
  refuse: Refuse,
): void {
  const template = groups.flatMap(({ args }) => args)
  const file = program === undefined || goesByName(program) ? [] : [program.identity.realPath]
  const names = [backend.command, ...file]
  const coded = names
    .map((name) => parameterInProgramText(name, template, stdin))
    .find((parameter) => parameter !== undefined)
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
