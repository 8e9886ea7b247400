import type { ToolId } from '@callgate/spec'

import type { OperationName } from '../operations/operation.ts'

/** What {@link securityCheck} found. */
export interface FileSecurityReport {
  /** No tool is refused and no probe got through. Weaknesses do not count: they are for the operator to judge. */
  readonly ok: boolean
  readonly tools: readonly FileToolSecurity[]
}

/** One tool as it is declared. */
export interface FileToolSecurity {
  readonly tool: ToolId
  /** Why it cannot be registered; then there is nothing else to tell. */
  readonly refused?: { readonly rule: string; readonly message: string; readonly hint: string }
  readonly facts?: FileToolFacts
  readonly weaknesses: readonly FileWeakness[]
  readonly probes: readonly FileProbe[]
}

/** What a tool does and where. */
export interface FileToolFacts {
  readonly operation: OperationName
  readonly roots: readonly FileRootFacts[]
  /** Whether containment is decided on what was opened, or, where the platform has no way, on names before and after. */
  readonly containment: 'descriptor' | 'name'
}

export interface FileRootFacts {
  readonly name: string
  /** Of the host. */
  readonly path: string
  readonly read: boolean
  readonly write: boolean
  readonly links: 'deny' | 'inside'
  readonly hardLinks: 'deny' | 'read'
  readonly deny: readonly string[]
}

/** Something that a declaration leaves open. */
export interface FileWeakness {
  readonly rule: string
  readonly root: string
  readonly message: string
}

/** One hostile value, tried with the guards that calls go through, below a throw-away root. */
export interface FileProbe {
  readonly root: string
  readonly parameter: string
  readonly attack: string
  readonly input: string
  /** `literal`: it means something inside the root, and nothing else. `hole`: it would do what it was made for. */
  readonly outcome: 'refused' | 'literal' | 'hole'
  /** The rule that fired; for a hole the one that should have. */
  readonly rule?: string
}

/** What {@link testPathEscape} found about one root. */
export interface PathVerdict {
  readonly root: string
  /** `inside`: it names something below the root, there or not. */
  readonly outcome: 'refused' | 'inside' | 'hole'
  /** The rule that fired; not-found where there is nothing. */
  readonly rule?: string
  readonly message?: string
}

/** What {@link testPathEscape} found. */
export interface PathEscapeReport {
  /** The path leads out of no root. */
  readonly ok: boolean
  readonly target: string
  readonly roots: readonly PathVerdict[]
}
