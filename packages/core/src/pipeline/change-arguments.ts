import { copyJson } from '../results/copy-json.ts'
import { checkFields } from './change-fields.ts'

/**
 * Puts a transform's change into arguments: `args` is merged at the top level, `set` and `remove` name places by
 * JSON pointer (RFC 6901). Gives back the same object when nothing changes.
 *
 * @throws TypeError when the change is not of that form, or a pointer leads nowhere.
 */
export function applyChange(args: object, change: object): object {
  checkFields(change, 'args', 'set', 'remove')
  const {
    args: merge,
    set,
    remove,
  } = change as {
    args?: unknown
    set?: unknown
    remove?: unknown
  }
  const merged = { ...optionalObject(merge, 'args') }
  const places = Object.entries(optionalObject(set, 'set'))
  const removed = optionalList(remove)
  if (Object.keys(merged).length === 0 && places.length === 0 && removed.length === 0) return args
  const copied = copyJson({ ...args, ...merged })
  if (!copied.ok) throw new TypeError(`the changed arguments are not JSON: ${copied.reason}`)
  const result = copied.value as Record<string, unknown>
  for (const [pointer, value] of places) setAt(result, pointer, value)
  for (const pointer of removed) removeAt(result, pointer)
  return result
}

function optionalObject(value: unknown, name: string): object {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new TypeError(
    `modify.${name} is ${Array.isArray(value) ? 'a list' : typeof value}; expected an object`,
  )
}

function optionalList(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value
  throw new TypeError('modify.remove must be a list of JSON pointers')
}

function setAt(root: Record<string, unknown>, pointer: string, value: unknown): void {
  const copied = copyJson(value)
  if (!copied.ok) throw new TypeError(`the value for "${pointer}" is not JSON: ${copied.reason}`)
  const { holder, key } = locate(root, pointer)
  if (!Array.isArray(holder)) {
    Object.defineProperty(holder, key, {
      value: copied.value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
    return
  }
  const index = key === '-' ? holder.length : listIndex(key, holder.length + 1, pointer)
  holder[index] = copied.value
}

function removeAt(root: Record<string, unknown>, pointer: string): void {
  const { holder, key } = locate(root, pointer)
  if (Array.isArray(holder)) holder.splice(listIndex(key, holder.length, pointer), 1)
  else if (Object.hasOwn(holder, key)) delete (holder as Record<string, unknown>)[key]
}

function listIndex(key: string, end: number, pointer: string): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1
  if (index >= 0 && index < end) return index
  throw new TypeError(`"${pointer}" leads nowhere: a list there has no place ${key}`)
}

function locate(root: object, pointer: string): { holder: object; key: string } {
  if (!pointer.startsWith('/'))
    throw new TypeError(`"${pointer}" is no JSON pointer, such as "/${pointer}"`)
  const keys = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  let holder: object = root
  for (const key of keys.slice(0, -1)) {
    const next: unknown = Object.hasOwn(holder, key)
      ? (holder as Record<string, unknown>)[key]
      : undefined
    if (typeof next !== 'object' || next === null)
      throw new TypeError(`"${pointer}" leads nowhere: no ${key}`)
    holder = next
  }
  return { holder, key: keys.at(-1)! }
}
