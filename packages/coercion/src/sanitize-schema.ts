import type { JsonSchema } from '@callgate/spec'

import { brokenLimits } from './providers/check.ts'
import { profileOf } from './providers/profile.ts'
import { showRoot } from './providers/root.ts'
import type { Provider, SanitizedSchema } from './types.ts'

/**
 * Writes the schema of a tool so that a provider accepts it (R3.2, R5.8): names it takes, keywords it knows, an object
 * at the root. Without a provider 'any': no union at the root, names that all but Gemini take, one type each with
 * `nullable`; all else stays, of which OpenAI, Gemini and llama.cpp refuse or pass over some.
 *
 * `lossy` lists what the shown schema no longer says, each entry beginning with a pointer in the names of the original, to
 * the place there or, for what is shown in another (types and `oneOf` in `anyOf`, definitions in `$defs`), to that; what the
 * provider does not enforce is told to the model in descriptions, a keyword in up to 1,000 characters. What cannot be
 * written is asked for as JSON text, which coercion reads back; text that the original accepts there stays text.
 * `strict` says whether the provider's strict mode takes the result and nothing was lost. Arguments come back in the
 * shown names: give the original schema and the provider to `createCoercer`. The input is not changed; never throws for
 * a schema that `checkToolSchema` accepts, but TypeError for a provider that is not known.
 */
export function sanitizeSchema(
  schema: JsonSchema | undefined,
  options: { readonly provider?: Provider } = {},
): SanitizedSchema {
  const profile = profileOf(options.provider)
  const { strict } = profile
  const lossy: string[] = []
  const shown = showRoot(schema, profile, lossy)
  return {
    schema: shown,
    lossy,
    strict: strict !== undefined && lossy.length === 0 && brokenLimits(shown, strict).length === 0,
  }
}
