import { z } from 'zod'

/** The parameters of the tool for those that take a Zod schema; the same that the others have as JSON Schema. */
export const zodParameters = z.strictObject({
  path: z.string(),
  limit: z.number().int().optional(),
  deep: z.boolean().optional(),
})
