import type { Fault } from '../channel/fault.ts'
import type { Limits } from '../channel/pending.ts'
import type { Connection } from '../connect/connection.ts'
import { isRecord, type JsonRecord } from '../record.ts'

const maxPages = 200
const maxItems = 10_000

/** The lists of the protocol: the method, the field of its result, and the capability without which it is not asked. */
export const lists = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
} as const

/** A list as the server gives it, unread. */
export interface Listed {
  readonly items: readonly unknown[]
  /** How long it holds, in milliseconds: the shortest of its pages; revision 2026-07-28. */
  readonly ttlMs?: number
  /** Whether it is the same for all who ask: what is not said to be public is not. */
  readonly scope: 'public' | 'private'
}

/** Every item of a list, page by page; or why there is no list. */
export async function listPages(
  connection: Connection,
  list: keyof typeof lists,
  limits: Limits,
  signal: AbortSignal,
): Promise<Listed | { readonly fault: Fault }> {
  const { method, capability } = lists[list]
  if (!isRecord(connection.capabilities[capability])) return { items: [], scope: 'private' }
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let held: Pick<Listed, 'ttlMs' | 'scope'> = { scope: 'public' }
  for (let page = 0; page < maxPages && items.length < maxItems; page += 1) {
    const params: JsonRecord = cursor === undefined ? {} : { cursor }
    // oxlint-disable-next-line no-await-in-loop -- a page names the next
    const reply = await connection.request(method, params, { ...limits, signal })
    if ('fault' in reply) return reply
    const result = isRecord(reply.result) ? reply.result : {}
    if (Array.isArray(result[list])) {
      // One by one: a server can list more than a function takes as arguments.
      for (const item of result[list] as unknown[]) items.push(item)
    }
    held = narrower(held, result)
    const next = result['nextCursor']
    // A cursor that comes back again would be a walk without an end; an empty one is how some servers write none.
    if (typeof next !== 'string' || next === '' || seen.has(next)) break
    seen.add(next)
    cursor = next
  }
  return { items: items.slice(0, maxItems), ...held }
}

/** What holds for a list when one more of its pages says how long and for whom. */
function narrower(
  { ttlMs, scope }: Pick<Listed, 'ttlMs' | 'scope'>,
  page: JsonRecord,
): Pick<Listed, 'ttlMs' | 'scope'> {
  const given = page['ttlMs']
  const ttl = typeof given === 'number' ? Math.min(given, ttlMs ?? given) : ttlMs
  return {
    scope: page['cacheScope'] === 'public' ? scope : 'private',
    ...(ttl === undefined ? {} : { ttlMs: ttl }),
  }
}
