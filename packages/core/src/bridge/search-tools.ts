import type { CallContext } from '@callgate/spec'

import type { Services } from '../pipeline/services.ts'
import type { SearchResult } from '../registry/tool-search.ts'
import { shownIds } from './shown-tools.ts'

/** Routing by capability and by session (R6.1): candidates for each text, what the session used lately first among its like. */
export function searchTools(
  queries: readonly string[],
  limit: number,
  context: CallContext,
  services: Services,
): readonly SearchResult[] {
  const { registry, guardrails } = services
  const recent = new Set(guardrails.history(context.sessionId).map(({ tool }) => tool))
  return registry.search(queries, { limit, context, among: shownIds(context, services), recent })
}
