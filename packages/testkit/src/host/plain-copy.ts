/**
 * A deep copy of plain objects and lists, as the core makes one of each definition: functions and objects of classes
 * are taken over as they are.
 */
export function plainCopy<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)]))
}
