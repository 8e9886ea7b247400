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
  const path = '../../peers/node_modules/@ai-sdk/provider-utils/dist/index.js'
  try {
    const utils = (await import(new URL(path, import.meta.url).href)) as ProviderUtils
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
