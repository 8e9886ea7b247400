import type { InvalidToolError, JsonSchema } from '@callgate/spec'

import { loadSchema } from './schema/load.ts'
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
  // Read, not compiled: a catalogue of thousands of tools is checked before the first call.
  const {
    problems: [problem],
    notes,
  } = loadSchema(schema, options)
  if (!problem) return notes
  const error: InvalidToolError = Object.assign(
    new Error(`Broken schema: ${problem.path} ${problem.message}`),
    {
      name: 'InvalidToolError',
      code: 'invalid_arguments' as const,
      rule: `schema-${problem.rule}`,
      where: problem.path,
      hint: undefined,
      // Recognised by its brand, so that this package needs of spec only the types.
      [Symbol.for('callgate.error.v1')]: true,
    },
  )
  throw error
}
