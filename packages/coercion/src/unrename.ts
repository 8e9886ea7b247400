import type { JsonSchema } from '@callgate/spec'

import { refill } from './effort.ts'
import { MOST_EFFORT } from './limits.ts'
import { planOf } from './plan/node.ts'
import { loadSchema } from './schema/load.ts'
import type { Provider } from './types.ts'
import { coerceValue } from './walk/coerce-value.ts'
import { startWalk } from './walk/start.ts'

const namesOnly = { namesOnly: true, check: () => true }

/**
 * Gives the arguments back their own property names, through references, allOf, the fitting branch of unions, maps,
 * tuples and lists of lists (R3.2). Types stay as they came, text is not looked into; `createCoercer` does both.
 *
 * `schema` is the tool's own schema, not the sanitised one. A shown name is only restored where the exact name is
 * not there; where both are with different values, both stay. Never throws, never mutates; the same reference comes
 * back where nothing was renamed.
 */
export function unrename(
  schema: JsonSchema | undefined,
  args: unknown,
  options: { readonly provider?: Provider } = {},
): unknown {
  try {
    const document = loadSchema(schema)
    refill(MOST_EFFORT)
    return coerceValue(startWalk(namesOnly, false), planOf(document, options), args, '')
  } catch {
    return args
  }
}
