import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

import type { z } from 'zod'

/** What this uses of `@ai-sdk/provider-utils`. */
interface ProviderUtils {
  readonly safeParseJSON: (options: {
    readonly text: string
    readonly schema: unknown
  }) => Promise<{ readonly success: boolean; readonly value?: unknown }>
  readonly zodSchema: (schema: z.ZodType) => unknown
}

/** How the AI SDK reads the arguments of a call: its parser and a zod schema. Undefined where the peers are not installed. */
export async function aiSdkReader(
  schema: z.ZodType,
): Promise<((text: string) => Promise<unknown>) | undefined> {
  const require = createRequire(new URL('../../peers/package.json', import.meta.url))
  try {
    const path = require.resolve('@ai-sdk/provider-utils')
    const utils = (await import(pathToFileURL(path).href)) as ProviderUtils
    const whole = utils.zodSchema(schema)
    return async (text) => {
      const read = await utils.safeParseJSON({ text, schema: whole })
      if (!read.success) throw new Error('the arguments do not fit')
      return read.value
    }
  } catch {
    return undefined
  }
}
