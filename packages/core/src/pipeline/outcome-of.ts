import type { ToolResult } from '@callgate/spec'

type Outcome = ToolResult['metadata']['outcome']

/** What is known of the effect of several calls as of one: nobody knows it where nobody knows that of one of them. */
export function outcomeOf(results: readonly ToolResult[]): Outcome {
  const outcomes = new Set(results.map(({ metadata }) => metadata.outcome))
  if (outcomes.has('unknown')) return 'unknown'
  return outcomes.has('done') ? 'done' : 'not_started'
}
