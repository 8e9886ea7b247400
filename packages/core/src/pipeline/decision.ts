import type { ApprovalDecision } from '@callgate/spec'

const scopes: ReadonlySet<unknown> = new Set([undefined, 'once', 'session', 'always'])

/**
 * What is wrong with an answer to an approval; undefined where it is one. Half an answer is none: an edit without
 * arguments would blank them, and a scope that there is not would be kept as a grant.
 */
export function faultOfDecision(given: ApprovalDecision): string | undefined {
  const answer = (given as { readonly [key: string]: unknown } | null | undefined) ?? {}
  switch (answer['decision']) {
    case 'approve':
      return scopes.has(answer['scope']) ? undefined : 'its scope is not once, session or always'
    case 'deny':
      return undefined
    case 'edit':
      return answer['arguments'] === undefined ? 'it is an edit without arguments' : undefined
    default:
      return 'it has no decision that is known'
  }
}
