import type { JsonSchema } from '@callgate/spec'

import { brokenLimits } from './providers/check.ts'
import { profileOf } from './providers/profile.ts'
import type { Provider } from './types.ts'

/**
 * The limits of a provider that the schema of a tool breaks, as one text each that begins with a JSON pointer.
 * Empty for what `sanitizeSchema` gives for that provider, but for `more than …` and `long enum` where it is larger than
 * the strict mode of OpenAI takes. Throws TypeError for a provider that is not known.
 */
export function checkSchema(schema: JsonSchema, provider: Provider): readonly string[] {
  return brokenLimits(schema, profileOf(provider))
}
