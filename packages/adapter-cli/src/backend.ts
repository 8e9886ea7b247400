import type { JsonSchema } from '@callgate/spec'

/**
 * One item of `argsTemplate`.
 *
 * A text is one argument: `{x}` (or `{{x}}`) is the value of parameter x, `{x...}` makes one argument of each
 * item of the list x, every other text in braces is literal. An argument whose optional parameter is not given
 * is left out.
 * An object holds arguments that come or go together: with `when` they are there when that parameter is given and is
 * not `false`; with `each` they are there once for every item of that list, in them `{x}` is the item.
 */
export type TemplateItem =
  | string
  | { readonly when: string; readonly args: readonly string[] }
  | { readonly each: string; readonly args: readonly string[] }

/** What an exit code says, where that is not success for 0 and failure for all others. */
export interface ExitMeaning {
  /** Default: none, the program did its work. */
  readonly error?:
    | 'tool_failed'
    | 'invalid_arguments'
    | 'rate_limited'
    | 'backend_unavailable'
    | 'backend_error'
  /** For the model, one sentence. Default: the code and the first line of standard error. */
  readonly message?: string
}

/** What a value is, beyond its JSON Schema: decides how it is checked before it becomes an argument. */
export interface ArgumentRule {
  /**
   * `path` lies in the working directory, `url` has a declared scheme, `host` is a host name or address, `rev`
   * is a revision of a version control system. Default: `text`.
   */
  readonly kind?: 'text' | 'path' | 'url' | 'host' | 'rev'
  /** For kind `url`. Default: https alone. */
  readonly schemes?: readonly string[]
  /** The element before it is an option that always takes a value: a leading dash is data. */
  readonly optionValue?: boolean
  /** Texts that the value may not begin with, such as `@` where a program reads a file named so. */
  readonly denyPrefix?: readonly string[]
}

/** What the kernel enforces on the program and, each for itself, on its descendants (prlimit; Linux). */
export interface ProcessLimits {
  /** Seconds of processor time. */
  readonly cpuSeconds?: number
  /** Bytes of address space. */
  readonly memoryBytes?: number
  /** Bytes of the largest file that it writes. */
  readonly fileBytes?: number
  /** Processes and threads of the user that runs it; root, whom the kernel does not hold to it, cannot have it. */
  readonly processes?: number
  readonly openFiles?: number
}

/** What a program in the sandbox sees beside the system's programs and libraries. */
export interface SandboxOptions {
  /** Folders or files that it may read. The working directory is always among them. */
  readonly readable?: readonly string[]
  /** Folders or files that it may write; `{workspace}` names the workspace. Default: none. */
  readonly writable?: readonly string[]
  /** Default: false, no network at all. */
  readonly network?: boolean
}

/** How much of a long output is kept in a blob. */
export interface SpillOptions {
  /** Bytes of one output, counted from its beginning. Default: 1 GiB. */
  readonly maxBytes?: number
}

/** `none`, `bubblewrap`, or one of the adapter's `isolators`. */
export type Isolation = string

/** The `backend` block of a tool that is a program (R8.1). */
export interface CliBackend {
  readonly adapter: string
  /** A program's name, looked up once when the tool is registered, or an absolute path. */
  readonly command: string
  readonly argsTemplate: readonly TemplateItem[]
  /** Default: the workspace. `{workspace}` names the workspace; must lie in it. */
  readonly workingDir?: string
  /** Environment variables; `{env:NAME}` is the secret NAME of the gateway. */
  readonly env?: { readonly [name: string]: string }
  /** Variables taken over from the gateway's own environment when the tool is registered, such as PATH or HOME. */
  readonly inheritEnv?: readonly string[]
  /** A template, written to the standard input. Default: standard input is closed. */
  readonly stdin?: string
  /** Default: 0 alone. */
  readonly successCodes?: readonly number[]
  /**
   * What exit codes say, by the code. One of `rate_limited` and `backend_unavailable` promises that nothing was done, so
   * that the call may be repeated.
   */
  readonly exitCodes?: { readonly [code: string]: ExitMeaning }
  /** Of both outputs, a label of the WHATWG Encoding Standard. Default: utf-8. */
  readonly encoding?: string
  /** By parameter name. */
  readonly arguments?: { readonly [parameter: string]: ArgumentRule }
  /** Bytes of standard output or error after which the program is ended. Default: 1 GiB. */
  readonly maxOutputBytes?: number
  readonly spill?: SpillOptions
  readonly limits?: ProcessLimits
  /** Default: that of the adapter, which a tool cannot change where it is not `none`. */
  readonly isolation?: Isolation
  readonly sandbox?: SandboxOptions
}

const texts = { type: 'array', items: { type: 'string' } } as const
const count = { type: 'integer', minimum: 1 } as const
const textMap = { type: 'object', additionalProperties: { type: 'string' } } as const

export const limitsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    cpuSeconds: count,
    memoryBytes: count,
    fileBytes: count,
    processes: count,
    openFiles: count,
  },
}

export const sandboxSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { readable: texts, writable: texts, network: { type: 'boolean' } },
}

export const spillSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { maxBytes: { type: 'integer', minimum: 0 } },
}

export const isolationSchema: JsonSchema = { type: 'string', minLength: 1 }

const argumentRuleSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    kind: { enum: ['text', 'path', 'url', 'host', 'rev'] },
    schemes: texts,
    optionValue: { type: 'boolean' },
    denyPrefix: texts,
  },
}

const exitMeaningSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    error: {
      enum: [
        'tool_failed',
        'invalid_arguments',
        'rate_limited',
        'backend_unavailable',
        'backend_error',
      ],
    },
    message: { type: 'string', minLength: 1 },
  },
}

/** What {@link CliBackend} looks like as data. */
export const backendSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['adapter', 'command', 'argsTemplate'],
  properties: {
    adapter: { type: 'string' },
    command: { type: 'string', minLength: 1 },
    argsTemplate: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            additionalProperties: false,
            required: ['when', 'args'],
            properties: { when: { type: 'string' }, args: texts },
          },
          {
            type: 'object',
            additionalProperties: false,
            required: ['each', 'args'],
            properties: { each: { type: 'string' }, args: texts },
          },
        ],
      },
    },
    workingDir: { type: 'string', minLength: 1 },
    env: textMap,
    inheritEnv: texts,
    stdin: { type: 'string' },
    successCodes: { type: 'array', items: { type: 'integer' }, minItems: 1 },
    exitCodes: {
      type: 'object',
      propertyNames: { pattern: '^[0-9]{1,3}$' },
      additionalProperties: exitMeaningSchema,
    },
    encoding: { type: 'string' },
    arguments: { type: 'object', additionalProperties: argumentRuleSchema },
    maxOutputBytes: count,
    spill: spillSchema,
    limits: limitsSchema,
    isolation: isolationSchema,
    sandbox: sandboxSchema,
  },
}
