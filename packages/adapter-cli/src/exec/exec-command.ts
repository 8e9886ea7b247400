import { toolFaults, type AdapterHost } from '@callgate/spec'

import { environmentOf } from '../declare/environment.ts'
import { workingDirectory } from '../declare/folders.ts'
import { sandboxOf } from '../declare/isolation.ts'
import { defaultMaxOutputBytes, spillBytesOf, type RunPlan } from '../declare/plan.ts'
import { findProgram, goesByName, type Program } from '../declare/program.ts'
import type { Settings } from '../declare/settings.ts'
import type { Command } from '../fill/build-command.ts'
import { wrappersFor } from '../isolate/wrappers.ts'
import type { ExecProgram } from '../options.ts'
import { refuseCode, type Catalogue } from './catalogue.ts'
import { checkExecCall } from './check-call.ts'

/** The generic tool, with its programs found. */
export interface ExecCommand {
  /** The programs that are there. */
  readonly catalogue: Catalogue
  /** @throws ToolError `guard_refused`. */
  prepare(values: { readonly [name: string]: unknown }): {
    readonly plan: RunPlan
    readonly command: Command
  }
}

/**
 * Looks up the programs of the generic tool of an adapter, by the name that the adapter is bound to. Reads the disk; a
 * program that is not there is left out and logged.
 *
 * @throws InvalidToolError when the workspace or a secret of the environment is not there, InvalidOptionsError when a program
 * is a link to one with which the model could run anything.
 */
export function openExec(
  catalogue: Catalogue,
  settings: Settings,
  host: AdapterHost,
  adapter: string,
): ExecCommand {
  const { options, workspace, searchPath } = settings
  const faults = toolFaults({ namespace: adapter, name: 'exec_command' })
  const { refuse } = faults
  const root = workingDirectory(undefined, workspace, refuse)
  const environment = environmentOf(
    options.env ?? {},
    options.inheritEnv ?? [],
    (name) => host.secret(name),
    faults,
  )
  faults.end()
  const isolation = options.isolation ?? 'none'
  const limits = options.limits ?? {}
  const wrappers = wrappersFor(isolation, limits, settings, refuse)
  const found = new Map<string, { readonly entry: ExecProgram; readonly program: Program }>()
  for (const [name, entry] of catalogue) {
    const program = findProgram(name, searchPath)
    if (program === undefined) {
      host.log.warn(`exec_command: the program ${name} is not there`)
      continue
    }
    if (!goesByName(program)) refuseCode(entry, program.identity.realPath)
    found.set(name, { entry, program })
  }
  const present: Catalogue = new Map([...found].map(([name, { entry }]) => [name, entry]))
  return {
    catalogue: present,
    prepare: (values) => {
      const { program, args, workingDir } = checkExecCall(values, present, root)
      const plan: RunPlan = {
        program: found.get(program.program)!.program,
        workingDir,
        environment,
        successCodes: [0],
        exitCodes: {},
        encoding: 'utf-8',
        maxOutputBytes: defaultMaxOutputBytes,
        spillBytes: spillBytesOf(options.spill),
        limits,
        isolation,
        wrappers,
        sandbox: sandboxOf(options.sandbox ?? {}, root),
      }
      return { plan, command: { args, stdin: undefined } }
    },
  }
}
