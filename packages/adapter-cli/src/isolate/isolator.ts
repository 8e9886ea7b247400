import type { SandboxOptions } from '../backend.ts'

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
