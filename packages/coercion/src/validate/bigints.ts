/** The same value with every bigint as the nearest double, for a validator that knows only numbers. */
export function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null || !hasBigint(value)) return value
  if (Array.isArray(value)) return value.map(withoutBigints)
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, withoutBigints(entry)]),
  )
}

function hasBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint'
  for (const key in value) {
    if (hasBigint((value as Record<string, unknown>)[key])) return true
  }
  return false
}
