import { compileSchema, type Compiled } from './compiled.ts'
import type { RegExpEngine } from './types.ts'

/**
 * Compiled schemas by their text, keys in their order, since names are shown in that order. Held weakly: an entry
 * lives as long as a coercer uses it, so that tools which come and go leave nothing but a key behind.
 */
const entries = new Map<string, WeakRef<Compiled>>()
const ENTRIES = 10_000

/** The compiled form of a schema; equal schemas without an engine of their own share one. Throws what ajv throws. */
export function compiledFor(schema: unknown, regExp: RegExpEngine | undefined): Compiled {
  const key = JSON.stringify(schema)
  const known = regExp ? undefined : entries.get(key)?.deref()
  if (known) return known
  const compiled = compileSchema(schema, regExp)
  if (entries.size >= ENTRIES) entries.clear()
  if (!regExp) entries.set(key, new WeakRef(compiled))
  return compiled
}
