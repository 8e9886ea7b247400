import type { JsonSchema } from '@callgate/spec'

import {
  isolationSchema,
  limitsSchema,
  sandboxSchema,
  spillSchema,
  type Isolation,
  type ProcessLimits,
  type SandboxOptions,
  type SpillOptions,
} from './backend.ts'
import type { Isolator } from './isolate/isolator.ts'

/** A program that the model may run through `exec_command`, and what it may say to it. */
export interface ExecProgram {
  /** A program's name or absolute path. */
  readonly program: string
  /** What the first argument may be. Default: anything that is no option. */
  readonly subcommands?: readonly string[]
  /** Options that are allowed, as written: `-n`, `--stat`; `--max-count` also allows `--max-count=5`. Default: none. */
  readonly options?: readonly string[]
}

/** The generic tool `exec_command`. */
export interface ExecOptions {
  /** A name alone is a program without options. */
  readonly programs: readonly (string | ExecProgram)[]
}

/** Options of {@link cliAdapter}. */
export interface CliOptions {
  /** The programs that tools may name: names, or absolute paths. Default: every program may be declared. */
  readonly programs?: readonly string[]
  /** Where names are looked up, folders with the platform's separator. Default: PATH of this process. */
  readonly path?: string
  /** What `{workspace}` means and where all working directories lie. Default: the current directory. */
  readonly workspace?: string
  /** Environment of every program; `{env:NAME}` is the secret NAME of the gateway. Default: empty. */
  readonly env?: { readonly [name: string]: string }
  /** Variables that every program takes over from this process, such as PATH or HOME. Default: none. */
  readonly inheritEnv?: readonly string[]
  /** Offers the tool `exec_command`. */
  readonly exec?: ExecOptions
  /** Milliseconds between SIGTERM and SIGKILL. Default: 500. */
  readonly graceMs?: number
  /** Limits of every tool that declares none of its own. */
  readonly limits?: ProcessLimits
  /** Default: `none`, a process of the same user. */
  readonly isolation?: Isolation
  /**
   * A folder of the cgroup file system that the gateway may write (Linux). Every program then runs in a group of its own in
   * it: no descendant escapes its end, and `limits.processes` counts the program's own processes, also for root.
   */
  readonly cgroup?: string
  /** Other sandboxes by the name that `isolation` says. */
  readonly isolators?: { readonly [name: string]: Isolator }
  /** The sandbox of every tool that declares none of its own. */
  readonly sandbox?: SandboxOptions
  /** What of a long output is kept in a blob, of every tool that says nothing else. */
  readonly spill?: SpillOptions
  /**
   * Default: true, programs are started by a small process, so that the size of this one does not matter.
   * False: by this process, for a program that is bundled into one file.
   */
  readonly runner?: boolean
}

const texts = { type: 'array', items: { type: 'string', minLength: 1 } } as const

export const optionsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    programs: texts,
    path: { type: 'string' },
    workspace: { type: 'string', minLength: 1 },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    inheritEnv: texts,
    exec: {
      type: 'object',
      additionalProperties: false,
      required: ['programs'],
      properties: {
        programs: {
          type: 'array',
          minItems: 1,
          items: {
            anyOf: [
              { type: 'string', minLength: 1 },
              {
                type: 'object',
                additionalProperties: false,
                required: ['program'],
                properties: {
                  program: { type: 'string', minLength: 1 },
                  subcommands: texts,
                  options: texts,
                },
              },
            ],
          },
        },
      },
    },
    graceMs: { type: 'integer', minimum: 0, maximum: 60_000 },
    limits: limitsSchema,
    isolation: isolationSchema,
    cgroup: { type: 'string', pattern: '^/' },
    // With functions, which JSON Schema knows nothing of.
    isolators: { type: 'object' },
    sandbox: sandboxSchema,
    spill: spillSchema,
    runner: { type: 'boolean' },
  },
}
