export type Data = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function camelCase(key: string): string {
  return key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The named keys that are there. */
export function pick(data: Data, keys: readonly string[]): Data {
  return Object.fromEntries(
    keys.filter((key) => data[key] !== undefined).map((key) => [key, data[key]]),
  )
}

/** Keys of one level in camelCase; what stands below (names of parameters, variables, headers) is left as it is. */
export function camelKeys(data: Data): Data {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [camelCase(key), value]))
}

/** A path in camelCase with the keys as they are written in the data. */
export function pathAsWritten(
  data: unknown,
  path: readonly (string | number)[],
): readonly (string | number)[] {
  let part = data
  return path.map((key) => {
    const record = isRecord(part) ? part : {}
    const written = Object.hasOwn(record, key)
      ? key
      : (Object.keys(record).find((given) => camelCase(given) === key) ?? key)
    part = Array.isArray(part) ? (part[Number(key)] as unknown) : record[written]
    return written
  })
}
