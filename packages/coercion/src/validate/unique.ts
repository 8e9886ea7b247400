import { isFields } from '../json.ts'

/** Whether two items are equal as JSON values; linear, where comparing all pairs is quadratic. */
export function hasEqualItems(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size < items.length
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    if (!isFields(part)) return part
    return Object.fromEntries(
      Object.keys(part)
        .toSorted()
        .map((key) => [key, part[key]]),
    )
  })
  return text ?? ''
}
