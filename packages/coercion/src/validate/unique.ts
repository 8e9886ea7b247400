/** Whether two items are equal as JSON values; linear, where comparing all pairs is quadratic. */
export function sameItems(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>()
  for (const item of items) {
    const key = typeof item === 'object' && item !== null ? `o${canonicalJson(item)}` : keyOf(item)
    if (seen.has(key)) return true
    seen.add(key)
  }
  return false
}

/** Text items get a letter in front, so that they differ from the texts of objects. */
function keyOf(item: unknown): unknown {
  return typeof item === 'string' ? `s${item}` : item
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, entry: unknown) => {
      if (typeof entry === 'bigint') return `${entry}n`
      if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
      return Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    }) ?? 'undefined'
  )
}
