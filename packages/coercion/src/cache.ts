import { compileSchema, type Compiled } from './compiled.ts'
import { isEqualStructure, structureHash } from './structure.ts'
import type { RegExpEngine } from './types.ts'

interface Entry {
  readonly schema: unknown
  readonly regExp: RegExpEngine | undefined
  readonly compiled: Compiled
}

/**
 * Compiled schemas by the hash of their structure. Held weakly: an entry lives as long as a coercer uses it, so that
 * tools which come and go leave nothing behind.
 */
const entries = new Map<string, WeakRef<Entry>>()
const cleanup = new FinalizationRegistry<string>((key) => {
  if (entries.get(key)?.deref() === undefined) entries.delete(key)
})

/** The compiled form of a schema; equal schemas with the same engine share one. Throws what ajv throws. */
export function compiledFor(schema: unknown, regExp: RegExpEngine | undefined): Entry {
  const key = structureHash(schema)
  const known = entries.get(key)?.deref()
  if (known && known.regExp === regExp && isEqualStructure(known.schema, schema)) return known
  const entry = { schema, regExp, compiled: compileSchema(schema, regExp) }
  entries.set(key, new WeakRef(entry))
  cleanup.register(entry, key)
  return entry
}
