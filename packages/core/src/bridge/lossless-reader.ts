import { parseLossless, toPlainJson } from '@callgate/coercion'

import type { EnvelopeReader } from './envelope.ts'

/** Strict JSON that keeps key order, `__proto__` as data, and every digit (R2.1: expansion changes no value). */
export const losslessReader: EnvelopeReader = {
  parse(text) {
    const parsed = parseLossless(text)
    return parsed.ok ? parsed.value : undefined
  },
  field: (object, key) =>
    object instanceof Map
      ? (object as ReadonlyMap<string, unknown>).get(key)
      : Object.hasOwn(object, key)
        ? (object as Record<string, unknown>)[key]
        : undefined,
  isObject: isObject,
  readArguments(value) {
    if (value === undefined || value === null) return new Map()
    if (typeof value === 'string')
      return value.trim() === '' ? new Map() : objectOf(losslessReader.parse(value))
    return objectOf(value)
  },
}

/** The plain value of a child's argument text, for the provider block that carries it. */
export function plainArguments(text: unknown): unknown {
  const parsed = parseLossless(String(text))
  return parsed.ok ? toPlainJson(parsed.value) : {}
}

function isObject(value: unknown): value is object {
  try {
    if (value instanceof Map) return true
    return typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value)
  } catch {
    // A proxy may throw at whoever looks at it.
    return false
  }
}

// A class instance (a lossless number is one) is no JSON object.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function objectOf(value: unknown): object | undefined {
  return isObject(value) ? value : undefined
}
