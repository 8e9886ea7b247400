import type { ToolId } from '@callgate/spec'

import type { Isolation, ProcessLimits } from '../backend.ts'

/** What {@link securityCheck} found. */
export interface CliSecurityReport {
  /** No tool is refused and every probe was stopped. Weaknesses do not count: they are for the operator to judge. */
  readonly ok: boolean
  readonly tools: readonly ToolSecurity[]
}

/** One tool as it is declared. */
export interface ToolSecurity {
  readonly tool: ToolId
  /** Why it cannot be registered; then there is nothing else to tell. */
  readonly refused?: { readonly rule: string; readonly message: string; readonly hint: string }
  readonly facts?: ToolFacts
  readonly weaknesses: readonly Weakness[]
  readonly probes: readonly Probe[]
}

export interface ToolFacts {
  /** Absolute; of `exec_command` the names that it may run. */
  readonly program: string
  readonly workingDir: string
  readonly isolation: Isolation
  /** How the descendants of the program are found when it is ended (B11). */
  readonly treeEnd: 'pid-namespace' | 'cgroup' | 'process-table' | 'process-group'
  /** Names alone. */
  readonly environment: readonly string[]
  readonly limits: ProcessLimits
  readonly network: boolean
  readonly writable: readonly string[]
}

/** Something that a declaration leaves open. */
export interface Weakness {
  readonly rule: string
  readonly parameter?: string
  readonly message: string
}

/** One hostile value, tried on one parameter with the guards that calls go through; nothing was run. */
export interface Probe {
  readonly parameter: string
  readonly attack: string
  /** As given; long ones are cut. */
  readonly input: string
  /** `literal`: it would reach the program as one unchanged argument. `hole`: it would do what it was made for. */
  readonly outcome: 'refused' | 'literal' | 'hole'
  /** The rule that fired. */
  readonly rule?: string
}
