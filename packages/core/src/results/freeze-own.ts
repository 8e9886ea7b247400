/**
 * Freezes a JSON value that we made ourselves, and all in it. What is frozen already was frozen by us, with all in it,
 * so it is not walked again. Gives the same value back.
 */
export function freezeOwn<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  if (Array.isArray(value)) for (const part of value) freezeOwn(part)
  else for (const key of Object.keys(value)) freezeOwn((value as Record<string, unknown>)[key])
  return value
}
