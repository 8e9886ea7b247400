/**
 * A value as JSON text. An integer beyond the exact range of numbers keeps its digits, as text; undefined where
 * the value is nothing or cannot be written (a cycle).
 */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'bigint' ? part.toString() : part,
    )
  } catch {
    return undefined
  }
}
