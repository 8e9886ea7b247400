import { compileSchema, type Compiled } from './compiled.ts'
import { KNOWN_SCHEMAS } from './limits.ts'
import { CHARACTERS, sizeOf } from './schema/size.ts'
import type { RegExpEngine } from './types.ts'

/**
 * Compiled schemas by their text, keys in their order, since names are shown in that order. Held weakly: an entry
 * lives as long as a coercer uses it, so that tools which come and go leave nothing but a key behind.
 */
const entries = new Map<string, WeakRef<Compiled>>()

/** The compiled form of a schema; equal schemas without an engine of their own share one. Throws what ajv throws. */
export function compiledFor(schema: unknown, regExp: RegExpEngine | undefined): Compiled {
  // What is too large for a key is refused and not compiled.
  if (regExp || sizeOf(schema) > CHARACTERS) return compileSchema(schema, regExp)
  // What JSON does not have counts as absent, so that schemas of one text are equal.
  const key = JSON.stringify(schema) ?? '0'
  const compiled = entries.get(key)?.deref() ?? compileSchema(JSON.parse(key), regExp)
  if (entries.size >= KNOWN_SCHEMAS) entries.clear()
  entries.set(key, new WeakRef(compiled))
  return compiled
}
