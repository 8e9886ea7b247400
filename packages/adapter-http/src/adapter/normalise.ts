import type { HttpBackend } from '../operation/backend.ts'

/** Blocks of the declaration whose keys are names of the other side, not words of ours. */
const foreign = new Set(['query', 'headers', 'cookies', 'content'])

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
      if (name === 'encoding') return [name, camelValues(item)]
      return [name, foreign.has(name) ? item : camelKeys(item)]
    }),
  )
}

/** A block whose keys are names of the other side, and what stands behind them is ours. */
function camelValues(block: unknown): unknown {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return block
  return Object.fromEntries(Object.entries(block).map(([key, item]) => [key, camelKeys(item)]))
}
