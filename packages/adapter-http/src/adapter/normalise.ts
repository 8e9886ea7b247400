import type { HttpBackend } from '../operation/backend.ts'

/** Blocks of the declaration whose keys are names of the other side, not words of ours. */
const foreign = new Set(['query', 'headers', 'cookies', 'content', 'encoding'])

/** A backend block of a file, whose words are in snake_case, in the words of the code (R5.3). */
export function normaliseBlock(block: { readonly adapter: string }): HttpBackend {
  return camelKeys(block) as HttpBackend
}

function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => camelKeys(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const name = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [name, foreign.has(name) ? item : camelKeys(item)]
    }),
  )
}
