import type { ErrorCode } from './error-codes.ts'

/** The only thing an adapter throws on purpose; anything else becomes `internal` and its text is withheld. */
export interface ToolErrorInit {
  readonly code: ErrorCode
  readonly message: string
  readonly rule?: string
  readonly parameter?: string
  /** Whether the effect can have begun: decides about retry. */
  readonly started: 'no' | 'yes' | 'unknown'
  readonly retryAfterMs?: number
  readonly backend?: { readonly code?: number; readonly data?: unknown }
  readonly cause?: unknown
}

const toolErrorBrand = Symbol.for('callgate.tool-error.v1')
const callgateErrorBrand = Symbol.for('callgate.error.v1')

/**
 * The only error that an adapter throws on purpose.
 *
 * Takes the facts of the failure; the core decides about retry and about what the model reads.
 */
export class ToolError extends Error {
  readonly code: ErrorCode
  readonly started: ToolErrorInit['started']
  readonly rule: string | undefined
  readonly parameter: string | undefined
  readonly retryAfterMs: number | undefined
  readonly backend: ToolErrorInit['backend']

  constructor(init: ToolErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'ToolError'
    this.code = init.code
    this.started = init.started
    this.rule = init.rule
    this.parameter = init.parameter
    this.retryAfterMs = init.retryAfterMs
    this.backend = init.backend
    Object.defineProperty(this, toolErrorBrand, { value: true })
  }

  /** By brand, so that a copy of this package in another node_modules still counts. */
  static isInstance(value: unknown): value is ToolError {
    return branded(value, toolErrorBrand)
  }
}

/** What a fault at set-up time says: what is wrong, where, and what to do. */
export interface CallgateErrorInit {
  readonly code: ErrorCode
  readonly message: string
  /** A stable name of the rule that was broken, for tests and operators. */
  readonly rule?: string
  /** Where: a file with line and column, a tool id, or a JSON pointer. */
  readonly where?: string
  readonly hint?: string
  readonly cause?: unknown
}

/**
 * A fault at set-up time: bad options, a tool that cannot be registered, a file that cannot be read.
 * Never thrown for what a call, hook, tool or adapter did while running.
 */
export class CallgateError extends Error {
  readonly code: ErrorCode
  readonly rule: string | undefined
  readonly where: string | undefined
  readonly hint: string | undefined

  constructor(init: CallgateErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'CallgateError'
    this.code = init.code
    this.rule = init.rule
    this.where = init.where
    this.hint = init.hint
    Object.defineProperty(this, callgateErrorBrand, { value: true })
  }

  /** By brand, so that a copy of this package in another node_modules still counts. */
  static isInstance(value: unknown): value is CallgateError {
    return branded(value, callgateErrorBrand)
  }
}

/** One thing that is wrong with a declared tool: the rule, what was found, and what to write instead. */
export interface ToolFault {
  readonly rule: string
  readonly message: string
  readonly hint: string
}

/** A tool that cannot be registered; `where` is its id. */
export class InvalidToolError extends CallgateError {
  /** All that an adapter found wrong with the tool at one look; `rule` is that of the first. */
  declare readonly faults?: readonly ToolFault[]

  constructor(init: Omit<CallgateErrorInit, 'code'> & { readonly faults?: readonly ToolFault[] }) {
    super({ ...init, code: 'invalid_arguments' })
    this.name = 'InvalidToolError'
    if (init.faults !== undefined) this.faults = init.faults
  }
}

/** Options that do not fit; `where` is the option. */
export class InvalidOptionsError extends CallgateError {
  constructor(init: Omit<CallgateErrorInit, 'code'>) {
    super({ ...init, code: 'invalid_arguments' })
    this.name = 'InvalidOptionsError'
  }
}

function branded(value: unknown, brand: symbol): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    return (value as Record<symbol, unknown>)[brand] === true
  } catch {
    // A proxy at which nobody can look.
    return false
  }
}
