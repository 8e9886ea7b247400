import type {
  ArgumentRule,
  ExitMeaning,
  Isolation,
  ProcessLimits,
  SandboxOptions,
  SpillOptions,
} from '../backend.ts'
import type { Wrappers } from '../isolate/wrappers.ts'
import type { Parameter } from './parameters.ts'
import type { Program } from './program.ts'
import type { Argument } from './template.ts'

/** How a program is run, whatever its arguments. */
export interface RunPlan {
  readonly program: Program
  /** A real path. */
  readonly workingDir: string
  readonly environment: { readonly [name: string]: string }
  readonly successCodes: readonly number[]
  readonly exitCodes: { readonly [code: string]: ExitMeaning }
  readonly encoding: string
  readonly maxOutputBytes: number
  /** Bytes of one output that go to a blob. */
  readonly spillBytes: number
  readonly limits: ProcessLimits
  readonly isolation: Isolation
  readonly sandbox: Required<SandboxOptions>
  readonly wrappers: Wrappers
}

/** Arguments that come or go together. */
export interface Group {
  /** Undefined: always. */
  readonly when: string | undefined
  /** A list; the arguments are there for each of its items, which its parameter then stands for. */
  readonly each: string | undefined
  readonly args: readonly Argument[]
}

/** A declaration that was read and found good: all that a call needs, with nothing left to look up. */
export interface ToolPlan extends RunPlan {
  readonly groups: readonly Group[]
  readonly stdin: Argument | undefined
  readonly parameters: ReadonlyMap<string, Parameter>
  readonly rules: { readonly [parameter: string]: ArgumentRule }
}

export const defaultMaxOutputBytes: number = 1024 ** 3

/** What a tool or else the adapter says; 1 GiB where neither does (design section 7). */
export function spillBytesOf(own: SpillOptions = {}, general: SpillOptions = {}): number {
  return own.maxBytes ?? general.maxBytes ?? 1024 ** 3
}
