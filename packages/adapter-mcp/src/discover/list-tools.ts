import type { Fault } from '../channel/fault.ts'
import type { Limits } from '../channel/pending.ts'
import type { Connection } from '../connect/connection.ts'
import { isRecord, type JsonRecord } from '../record.ts'

const maxPages = 200
const maxTools = 10_000

/** Every tool as the server lists it, page by page, unread; or why there is no list. */
export async function listTools(
  connection: Connection,
  limits: Limits,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly unknown[] } | { readonly fault: Fault }> {
  if (!isRecord(connection.capabilities['tools'])) return { tools: [] }
  const tools: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages && tools.length < maxTools; page += 1) {
    const params: JsonRecord = cursor === undefined ? {} : { cursor }
    const reply = await connection.request('tools/list', params, { ...limits, signal })
    if ('fault' in reply) return reply
    const result = isRecord(reply.result) ? reply.result : {}
    if (Array.isArray(result['tools'])) tools.push(...(result['tools'] as unknown[]))
    const next = result['nextCursor']
    // A cursor that comes back again would be a walk without an end.
    if (typeof next !== 'string' || seen.has(next)) break
    seen.add(next)
    cursor = next
  }
  return { tools: tools.slice(0, maxTools) }
}
