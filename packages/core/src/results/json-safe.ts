import { hasRoom, newRoom, type Room } from './room.ts'
import { describeSparse, isSparse } from './sparse.ts'
import { textOfThrown } from './thrown.ts'

/** Deeper than this nobody reads, and JSON writers overflow. */
const maxDepth = 200

/** How an error is copied; by default its name and message are. */
export type CopyError = (error: Error, copyPart: (part: unknown) => unknown) => unknown

/**
 * A copy of a value as JSON can carry it (R11.1): big integers and dates are text, maps and sets are objects and lists,
 * bytes are named by their number, what refers back to itself is cut, and what JSON has no word for is null. Beyond 16
 * MiB or about half a million values the rest is left out.
 */
export function jsonSafe(value: unknown): unknown {
  return takeJson(value, newRoom())
}

/** The same with the room that there is; whether all of it had room stands there. */
export function takeJson(
  value: unknown,
  room: Room,
  copyError: CopyError = nameAndMessage,
): unknown {
  if (typeof value === 'string' || value === null) return value
  return copy(value, 0, { room, copyError, above: [] })
}

interface Walk {
  readonly room: Room
  readonly copyError: CopyError
  /** The objects in which the value stands, the outermost first. */
  readonly above: object[]
}

function copy(value: unknown, depth: number, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
      return copyText(value, walk.room)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return copyText(String(value), walk.room)
    case 'object':
      return value === null ? null : copyObject(value, depth, walk)
    case 'boolean':
      return value
    default:
      return null
  }
}

function copyText(text: string, room: Room): string {
  const kept = Math.max(0, room.left)
  room.left -= text.length
  if (text.length <= kept) return text
  room.isCut = true
  return text.slice(0, kept)
}

function copyObject(value: object, depth: number, walk: Walk): unknown {
  if (isAbove(value, depth, walk.above)) return '[circular]'
  if (depth >= maxDepth) return '[too deep]'
  walk.above[depth] = value
  try {
    if (Array.isArray(value)) return copyList(value, depth, walk)
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype && !hasToJson(value)
      ? copyFields(value, depth, walk)
      : copyInstance(value, depth, walk)
  } catch (error) {
    return `[unreadable: ${textOfThrown(error)}]`
  }
}

// Values are nested a few levels deep: looking through these is quicker than a set.
function isAbove(value: object, depth: number, above: readonly object[]): boolean {
  for (let level = 0; level < depth; level++) if (above[level] === value) return true
  return false
}

function copyList(list: readonly unknown[], depth: number, walk: Walk): unknown {
  if (isSparse(list, walk.room)) return `[${describeSparse(list)}]`
  const copied: unknown[] = []
  // Not `map`, which leaves empty places empty.
  for (let place = 0; place < list.length && hasRoom(walk.room); place++) {
    copied.push(copy(list[place], depth + 1, walk))
  }
  return copied
}

function copyFields(value: object, depth: number, walk: Walk): object {
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key]
    if (part === undefined || typeof part === 'function' || typeof part === 'symbol') continue
    if (!hasRoom(walk.room)) break
    addField(copied, key, part, depth, walk)
  }
  return copied
}

function addField(
  target: Record<string, unknown>,
  key: string,
  part: unknown,
  depth: number,
  walk: Walk,
): void {
  walk.room.left -= key.length
  const value = copy(part, depth + 1, walk)
  if (key !== '__proto__') target[key] = value
  // Assigning this key would change the prototype.
  else
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
}

function copyInstance(value: object, depth: number, walk: Walk): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Map) return copyMap(value, depth, walk)
  if (value instanceof Set) return copySet(value, depth, walk)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return `[${value.byteLength} bytes]`
  const copyPart = (part: unknown): unknown => copy(part, depth + 1, walk)
  if (value instanceof Error) return walk.copyError(value, copyPart)
  if (hasToJson(value)) return copyPart(value.toJSON())
  const { constructor } = value
  // A stream, a Response, a WeakMap, a regular expression: JSON would make them all {}.
  return typeof constructor === 'function' && Object.keys(value).length === 0
    ? copyText(named(value, constructor), walk.room)
    : copyFields(value, depth, walk)
}

function copyMap(map: ReadonlyMap<unknown, unknown>, depth: number, walk: Walk): object {
  const copied: Record<string, unknown> = {}
  for (const [key, part] of map) {
    if (!hasRoom(walk.room)) break
    addField(copied, String(key), part, depth, walk)
  }
  return copied
}

function copySet(set: ReadonlySet<unknown>, depth: number, walk: Walk): unknown[] {
  const copied: unknown[] = []
  for (const part of set) {
    if (!hasRoom(walk.room)) break
    copied.push(copy(part, depth + 1, walk))
  }
  return copied
}

function nameAndMessage({ name, message }: Error, copyPart: (part: unknown) => unknown): unknown {
  return { name: copyPart(name), message: copyPart(message) }
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

/** What there is to say of an object without fields of its own. */
function named(value: object, { name }: { readonly name: unknown }): string {
  if (value instanceof RegExp || value instanceof URLSearchParams) return String(value)
  return `[${typeof name === 'string' && name !== '' ? name : 'object'}]`
}
