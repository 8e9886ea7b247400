import { hasRoom, newRoom, type Room } from './room.ts'

/** Deeper than this no honest definition is nested. */
const maxDepth = 500

/**
 * A deep copy of plain objects and lists, frozen: what the caller holds is neither frozen nor seen again. Functions and
 * objects of classes are taken over as they are.
 *
 * @throws RangeError when it is nested more than 500 levels deep, in itself, or has more than about half a million values.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, 0, newRoom()) as T
}

function copy(value: unknown, depth: number, room: Room): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!hasRoom(room)) throw new RangeError('too many values')
  if (depth > maxDepth) throw new RangeError(`nested more than ${maxDepth} levels deep`)
  if (Array.isArray(value)) return Object.freeze(value.map((part) => copy(part, depth + 1, room)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = copy((value as Record<string, unknown>)[key], depth + 1, room)
    // Assigning this key would change the prototype.
    if (key === '__proto__') Object.defineProperty(result, key, { value: part, enumerable: true })
    else result[key] = part
  }
  return Object.freeze(result)
}
