import { describeSparse, isSparse } from './sparse.ts'

/** Deeper than this nobody reads, and JSON writers overflow. */
const maxDepth = 200

/**
 * A value as JSON can carry it (R11.1): the same value where it is JSON already; else a copy in which big integers
 * and dates are text, maps and sets are objects and lists, bytes are named by their number, what refers back to
 * itself is cut, and what JSON has no word for is null.
 */
export function jsonSafe(value: unknown): unknown {
  if (typeof value === 'string' || value === null) return value
  return isSurelyJson(value) ? value : copy(value, 0, new Set())
}

function isSurelyJson(value: unknown): boolean {
  try {
    return isJson(value, 0, new Set())
  } catch {
    // A getter or a proxy: the copy says which part cannot be read.
    return false
  }
}

function isJson(value: unknown, depth: number, above: Set<object>): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      return value === null || isJsonObject(value, depth, above)
    default:
      return false
  }
}

function isJsonObject(value: object, depth: number, above: Set<object>): boolean {
  if (depth >= maxDepth || above.has(value) || !isPlain(value)) return false
  above.add(value)
  const parts = Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)
  let safe = true
  // Not `every`, which goes through the empty places of a list: those are no JSON.
  for (let place = 0; safe && place < parts.length; place++)
    safe = isJson(parts[place], depth + 1, above)
  above.delete(value)
  return safe
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value)
}

function copy(value: unknown, depth: number, above: Set<object>): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : copyObject(value, depth, above)
    case 'string':
    case 'boolean':
      return value
    default:
      return null
  }
}

function copyObject(value: object, depth: number, above: Set<object>): unknown {
  if (above.has(value)) return '[circular]'
  if (depth >= maxDepth) return '[too deep]'
  above.add(value)
  try {
    return copyParts(value, (part) => copy(part, depth + 1, above))
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : String(error)}]`
  } finally {
    above.delete(value)
  }
}

function copyParts(value: object, copyPart: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    return isSparse(value) ? `[${describeSparse(value)}]` : Array.from(value, copyPart)
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Map)
    return fromEntries([...value].map(([key, part]) => [String(key), copyPart(part)]))
  if (value instanceof Set) return [...value].map(copyPart)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof Error) return { name: value.name, message: value.message }
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return copyPart(toJSON.call(value))
  const { constructor } = value
  const entries = Object.entries(value)
  // A stream, a Response, a WeakMap, a regular expression: JSON would make them all {}.
  if (entries.length === 0 && constructor !== Object && constructor !== undefined)
    return named(value)
  return fromEntries(
    entries
      .filter(
        ([, part]) => part !== undefined && typeof part !== 'function' && typeof part !== 'symbol',
      )
      .map(([key, part]) => [key, copyPart(part)]),
  )
}

/** What there is to say of an object without fields of its own. */
function named(value: object): string {
  if (value instanceof RegExp || value instanceof URLSearchParams) return String(value)
  const { name } = value.constructor
  return `[${typeof name === 'string' && name !== '' ? name : 'object'}]`
}

// `__proto__` must become a key, not a prototype: Object.fromEntries defines, it does not assign.
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries)
}
