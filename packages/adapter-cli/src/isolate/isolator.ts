import { InvalidOptionsError } from '@callgate/spec'

import type { SandboxOptions } from '../backend.ts'
import type { CliOptions } from '../options.ts'

/** What an isolator is told about the program that it has to run. */
export interface IsolatedProgram {
  /** Absolute. */
  readonly program: string
  /** A real path. */
  readonly workingDir: string
  readonly sandbox: Required<SandboxOptions>
}

/**
 * Another sandbox than bubblewrap: a program that runs another one, such as a client of containers.
 *
 * It is given the program and its arguments after its own. When it is ended it has to end what it runs: what it runs
 * elsewhere is in no table of processes here.
 */
export interface Isolator {
  /** Its name or absolute path, looked up when a tool is registered. */
  readonly program: string
  /** Its own arguments, up to the program that it runs. */
  arguments(isolated: IsolatedProgram): readonly string[]
}

/**
 * Looks at what JSON Schema knows nothing of: that each isolator names a program and has its function.
 *
 * @throws InvalidOptionsError with the rule adapter-options.
 */
export function checkIsolators({ isolators = {} }: CliOptions): void {
  for (const [name, isolator] of Object.entries<Partial<Isolator> | null>(isolators)) {
    const { program, arguments: own } = isolator ?? {}
    if (typeof program === 'string' && program !== '' && typeof own === 'function') continue
    throw new InvalidOptionsError({
      rule: 'adapter-options',
      where: `isolators/${name}`,
      message: `The isolator "${name}" has no ${typeof own === 'function' ? 'program' : 'function "arguments"'}.`,
      hint: 'Write { program: "name", arguments: (isolated) => [...] }.',
    })
  }
}
