/** The same value with every bigint as the nearest double, for a validator that knows only numbers. */
export function withoutBigints(value: unknown): unknown {
  let found = false
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'bigint') return part
    found = true
    return Number(part)
  })
  return found ? JSON.parse(text) : value
}
