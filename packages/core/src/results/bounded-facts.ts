import { isRecord } from '../registry/read-data.ts'
import { jsonSafe } from './json-safe.ts'
import { jsonSize } from './json-size.ts'

const tooLong = '[too long to be shown]'

/** Code may want what a server sent as it came: more than a model is shown, but not any amount. */
export const maxFactBytes: number = 256 * 1024

/** Bytes of a field with the shortest name and value. */
const leastBytes = 5

/**
 * What an adapter or a backend says beside its result, in at most `maxBytes`: a copy as JSON can carry it, since the
 * result holds no objects of theirs. Where it is longer the short fields stay, and others say that they are too long as
 * far as there is room.
 */
export function boundedFacts(
  given: object,
  maxBytes: number,
): { readonly [name: string]: unknown } {
  const facts = jsonSafe(given)
  const fields = isRecord(facts) ? facts : { value: facts }
  if (jsonSize(fields, maxBytes) <= maxBytes) return fields
  let left = maxBytes - 2
  const kept = new Map<string, unknown>()
  const sizeOf = (value: unknown): number => jsonSize(value, maxBytes)
  const keep = (name: string, fact: unknown, size: number): boolean => {
    // With a colon and a comma.
    const all = sizeOf(name) + size + 2
    if (all > left) return false
    left -= all
    kept.set(name, fact)
    return true
  }
  const names = Object.keys(fields).slice(0, maxBytes / leastBytes)
  const sizes = new Map(names.map((name) => [name, sizeOf(fields[name])]))
  for (const [name, size] of [...sizes].toSorted(([, a], [, b]) => a - b)) {
    if (!keep(name, fields[name], size)) keep(name, tooLong, sizeOf(tooLong))
  }
  return Object.fromEntries(
    names.flatMap((name) => (kept.has(name) ? [[name, kept.get(name)]] : [])),
  )
}
