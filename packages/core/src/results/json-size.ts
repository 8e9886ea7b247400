import { byteLength } from './cut-text.ts'

/** Bytes of a JSON value as text; of what is longer than `limit` some number beyond it, without looking at the rest. */
export function jsonSize(value: unknown, limit: number): number {
  switch (typeof value) {
    case 'string':
      return textSize(value, limit)
    case 'number':
      return String(value).length
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      if (value === null) return 4
      return Array.isArray(value) ? listSize(value, limit) : objectSize(value, limit)
    default:
      return 4
  }
}

function textSize(text: string, limit: number): number {
  return text.length + 2 > limit || isPlain(text)
    ? text.length + 2
    : byteLength(JSON.stringify(text))
}

/** A longer text is quicker written than looked through. */
const plainLength = 100

/** Whether each character is one byte in JSON. */
function isPlain(text: string): boolean {
  if (text.length > plainLength) return false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false
  }
  return true
}

function listSize(list: readonly unknown[], limit: number): number {
  let size = 2 + Math.max(0, list.length - 1)
  for (let place = 0; place < list.length && size <= limit; place++) {
    size += jsonSize(list[place], limit - size)
  }
  return size
}

function objectSize(object: object, limit: number): number {
  let size = 2
  // Not a list of all names first: there may be many more than there is room for.
  for (const name in object) {
    if (!Object.hasOwn(object, name)) continue
    if (size > 2) size++
    size += 1 + textSize(name, limit)
    if (size > limit) break
    size += jsonSize((object as Record<string, unknown>)[name], limit - size)
    if (size > limit) break
  }
  return size
}
