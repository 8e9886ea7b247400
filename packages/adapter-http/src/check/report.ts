import type { ToolId } from '@callgate/spec'

/** What {@link securityCheck} found. */
export interface HttpSecurityReport {
  /** No tool is refused and no probe got through. Weaknesses do not count: they are for the operator to judge. */
  readonly ok: boolean
  readonly tools: readonly HttpToolSecurity[]
}

/** One tool as it is declared. */
export interface HttpToolSecurity {
  readonly tool: ToolId
  /** Why it cannot be registered; then there is nothing else to tell. */
  readonly refused?: { readonly rule: string; readonly message: string; readonly hint: string }
  readonly facts?: HttpToolFacts
  readonly weaknesses: readonly HttpWeakness[]
  readonly probes: readonly HttpProbe[]
}

/** Where a tool can go and what it carries. */
export interface HttpToolFacts {
  readonly method: string
  /** The origin of its server, or `any` where the model chooses the address. */
  readonly origin: string
  readonly allow: readonly string[]
  readonly ports: readonly number[]
  readonly redirects: number
  /** The kind of its credentials. */
  readonly auth: string
  /** Names of the secrets that its block draws on, never their values. */
  readonly secrets: readonly string[]
}

/** Something that a declaration leaves open. */
export interface HttpWeakness {
  readonly rule: string
  readonly message: string
}

/** One hostile value, tried with the guards that calls go through; nothing left this process. */
export interface HttpProbe {
  /** The parameter, or `(look-up)` for an answer of a name server. */
  readonly parameter: string
  readonly attack: string
  readonly input: string
  /** `literal`: it would be sent as data in its own place. `hole`: it would do what it was made for. */
  readonly outcome: 'refused' | 'literal' | 'hole'
  /** The rule that fired; for a hole whose attack another rule should have stopped, the one that did not. */
  readonly rule?: string
}
