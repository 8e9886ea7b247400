import { hasRoom, newRoom, type Room } from './room.ts'
import { describeSparse, isSparse } from './sparse.ts'
import { isThrown } from './thrown.ts'

const maxDepth = 200

export type Copied =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

/**
 * A deep copy of a JSON value; refuses what JSON has no word for, rings, what is nested over 200 levels, and what is
 * longer than about half a million values or 256 MiB of text when written out.
 */
export function copyJson(value: unknown): Copied {
  try {
    return { ok: true, value: copy(value, 0, newRoom()) }
  } catch (error) {
    if (isThrown(error, NotJson)) return { ok: false, reason: error.message }
    return { ok: false, reason: 'a value in it cannot be read' }
  }
}

class NotJson extends Error {}

function copy(value: unknown, depth: number, room: Room): unknown {
  if (!hasRoom(room)) throw new NotJson('it is too long')
  if (typeof value === 'string') return copyText(value, room)
  if (typeof value !== 'object' || value === null) return copyScalar(value)
  if (depth >= maxDepth) throw new NotJson(`it is nested more than ${maxDepth} levels deep`)
  return Array.isArray(value) ? copyList(value, depth, room) : copyFields(value, depth, room)
}

function copyFields(value: object, depth: number, room: Room): object {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotJson(`it holds an object of class ${value.constructor?.name ?? 'unknown'}`)
  }
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key]
    if (part === undefined) continue
    room.left -= key.length
    // Assigning this key would change the prototype.
    if (key === '__proto__') define(result, key, copy(part, depth + 1, room))
    else result[key] = copy(part, depth + 1, room)
  }
  return result
}

// Not `map`, which leaves empty places empty.
function copyList(list: readonly unknown[], depth: number, room: Room): unknown[] {
  if (isSparse(list, room)) throw new NotJson(`it holds ${describeSparse(list)}`)
  const copied: unknown[] = []
  for (let place = 0; place < list.length; place++) {
    const part = list[place]
    copied.push(copy(part === undefined ? null : part, depth + 1, room))
  }
  return copied
}

// A text is no work to copy, and a file to be written may be long; but it must not be met without end.
function copyText(text: string, room: Room): string {
  room.left -= text.length / 16
  return text
}

function copyScalar(value: unknown): unknown {
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new NotJson(`it holds ${typeof value === 'number' ? String(value) : `a ${typeof value}`}`)
}

/** Sets a field of any name, which assigning would not: `__proto__`. */
export function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
