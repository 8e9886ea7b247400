/** The most characters of JSON, and levels, that a schema may have: over ten times those of the largest real tools. */
export const CHARACTERS = 2_000_000
export const LEVELS = 1000

/**
 * About how many characters a schema, or another value, has as JSON, where a part that stands in several places counts
 * in each; more than `most` for one that is too large or too deep to be looked at.
 */
export function sizeOf(schema: unknown, most: number = CHARACTERS): number {
  let size = 0
  const visit = (value: unknown, level: number): void => {
    size += typeof value === 'string' ? value.length + 2 : 2
    if (typeof value !== 'object' || !value) return
    if (level > LEVELS) size = Infinity
    for (const key of Object.keys(value)) {
      if (size > most) return
      size += Array.isArray(value) ? 1 : key.length + 4
      visit((value as Record<string, unknown>)[key], level + 1)
    }
  }
  visit(schema, 0)
  return size
}
