import { InvalidToolError, type JsonSchema } from '@callgate/spec'

import { compileSchema } from './compiled.ts'
import type { SchemaNote } from './schema/model.ts'
import type { RegExpEngine } from './types.ts'

/**
 * Checks the schema of a tool at set-up time, so that a broken tool is refused before a model calls it (R5.4).
 *
 * Gives what will not be checked although the schema asks for it: remote references, which are never fetched, and
 * patterns that cannot be proved harmless. Throws InvalidToolError for a schema that says something impossible (an
 * unknown type, a reference that leads nowhere); its message names the place and the bad word.
 */
export function checkToolSchema(
  schema: JsonSchema | undefined,
  options: { readonly regExp?: RegExpEngine } = {},
): readonly SchemaNote[] {
  if (schema === undefined) return []
  const { problems, notes } = compile(schema, options.regExp)
  const [first, ...others] = problems
  if (first === undefined) return notes
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  throw new InvalidToolError({
    message: `Broken schema: at ${first.path || 'the root'}, ${first.message}${more}`,
    rule: `schema-${first.rule}`,
    where: first.path,
    hint: 'Mend the schema of the tool; it must be JSON Schema of draft 04 to 2020-12.',
  })
}

function compile(
  schema: JsonSchema,
  regExp: RegExpEngine | undefined,
): { readonly problems: readonly SchemaNote[]; readonly notes: readonly SchemaNote[] } {
  try {
    return compileSchema(schema, regExp).document
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    return { problems: [{ path: '', rule: 'compile', message }], notes: [] }
  }
}
