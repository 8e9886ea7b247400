/**
 * Says where a value does not hold what is expected of it, or undefined where it does: of an object every expected
 * key, of a text what a regular expression matches, of everything else the same.
 */
export function mismatch(found: unknown, expected: unknown, path = ''): string | undefined {
  const place = path === '' ? '/' : path
  if (expected instanceof RegExp) {
    // Not `test`, which goes on where it was with the flag g, while one fixture judges many outcomes.
    return typeof found === 'string' && found.search(expected) !== -1 ? undefined : place
  }
  if (!isObject(expected)) return Object.is(found, expected) ? undefined : place
  if (!isObject(found) || !sameLength(found, expected)) return place
  for (const key of Object.keys(expected)) {
    const inner = mismatch(found[key], expected[key], `${path}/${key}`)
    if (inner !== undefined) return inner
  }
  return undefined
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

/** Lists must be whole; objects may have more keys than expected. */
function sameLength(found: object, expected: object): boolean {
  if (!Array.isArray(expected)) return true
  return Array.isArray(found) && found.length === expected.length
}
