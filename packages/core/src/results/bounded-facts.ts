import { isRecord } from '../registry/read-data.ts'
import { jsonSafe } from './json-safe.ts'
import { jsonSize } from './json-size.ts'

const tooLong = '[too long to be shown]'

/**
 * What an adapter or a backend says beside its result, in at most `maxBytes`: a copy as JSON can carry it, since the
 * result holds no objects of theirs. Where it is longer, the fields for which there is no room say so.
 */
export function boundedFacts(
  given: object,
  maxBytes: number,
): { readonly [name: string]: unknown } {
  const facts = jsonSafe(given) as { readonly [name: string]: unknown }
  let left = maxBytes - 2
  if (jsonSize(facts, maxBytes) <= maxBytes) return facts
  const fits = (name: string, fact: unknown): boolean => {
    // With a colon and a comma.
    const size = jsonSize(name, left) + jsonSize(fact, left) + 2
    if (size > left) return false
    left -= size
    return true
  }
  const kept: [string, unknown][] = []
  for (const [name, fact] of Object.entries(isRecord(facts) ? facts : {})) {
    if (fits(name, fact)) kept.push([name, fact])
    else if (fits(name, tooLong)) kept.push([name, tooLong])
  }
  return Object.fromEntries(kept)
}
