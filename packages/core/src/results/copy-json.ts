import { describeSparse, isSparse } from './sparse.ts'
import { isThrown } from './thrown.ts'

const maxDepth = 200

export type Copied =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

/** A deep copy of a JSON value; refuses what JSON has no word for, rings, and what is nested over 200 levels. */
export function copyJson(value: unknown): Copied {
  try {
    return { ok: true, value: copy(value, 0) }
  } catch (error) {
    if (isThrown(error, NotJson)) return { ok: false, reason: error.message }
    return { ok: false, reason: 'a value in it cannot be read' }
  }
}

class NotJson extends Error {}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return copyScalar(value)
  if (depth >= maxDepth) throw new NotJson(`it is nested more than ${maxDepth} levels deep`)
  if (Array.isArray(value)) return copyList(value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotJson(`it holds an object of class ${value.constructor?.name ?? 'unknown'}`)
  }
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key]
    if (part === undefined) continue
    // Assigning this key would change the prototype.
    if (key === '__proto__') define(result, key, copy(part, depth + 1))
    else result[key] = copy(part, depth + 1)
  }
  return result
}

// Not `map`, which leaves empty places empty.
function copyList(list: readonly unknown[], depth: number): unknown[] {
  if (isSparse(list)) throw new NotJson(`it holds ${describeSparse(list)}`)
  const copied: unknown[] = []
  for (let place = 0; place < list.length; place++) {
    const part = list[place]
    copied.push(copy(part === undefined ? null : part, depth + 1))
  }
  return copied
}

function copyScalar(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new NotJson(`it holds ${typeof value === 'number' ? String(value) : `a ${typeof value}`}`)
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
