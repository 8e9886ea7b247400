/** The same value with something else for every bigint, which JSON does not have; the value itself where there is none. */
export function replaceBigints(value: unknown, replace: (part: bigint) => unknown): unknown {
  let found = false
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'bigint') return part
    found = true
    return replace(part)
  })
  return found ? JSON.parse(text) : value
}
