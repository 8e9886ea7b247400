import { cutList } from './cut-list.ts'
import { byteLength, headAndTail } from './cut-text.ts'
import { shareOut } from './share-out.ts'

/** Deeper than this a value is written as text, cut like text. */
const maxDepth = 20
/** What a cut text is longer by than what it keeps: the line that says what is left out. */
const noteBytes = 60

/** Bytes of a JSON value as text. */
export function sizeOf(value: unknown): number {
  return byteLength(JSON.stringify(value) ?? '')
}

/**
 * A JSON value of the same kind in about `maxBytes` (R11.2): texts keep head and tail, lists the entries that fit the
 * task best, and an object shares the room out among its fields, so that a program still finds what it looks for.
 */
export function cutData(value: unknown, maxBytes: number, task: string | undefined): unknown {
  return cut(value, maxBytes, task, 0)
}

function cut(value: unknown, maxBytes: number, task: string | undefined, depth: number): unknown {
  if (typeof value === 'string') {
    return byteLength(value) <= maxBytes
      ? value
      : headAndTail(value, Math.max(0, maxBytes - noteBytes)).text
  }
  if (typeof value !== 'object' || value === null || sizeOf(value) <= maxBytes) return value
  if (depth >= maxDepth)
    return headAndTail(JSON.stringify(value), Math.max(0, maxBytes - noteBytes)).text
  return Array.isArray(value)
    ? cutItems(value, maxBytes, task, depth)
    : cutFields(value, maxBytes, task, depth)
}

function cutItems(
  list: readonly unknown[],
  maxBytes: number,
  task: string | undefined,
  depth: number,
): unknown {
  const kept = cutList(list, maxBytes, task)
  // No entry fits by itself: the first is shown as far as it goes.
  return kept.length > 0 ? kept : [cut(list[0], maxBytes - 2, task, depth + 1)]
}

function cutFields(
  object: object,
  maxBytes: number,
  task: string | undefined,
  depth: number,
): unknown {
  const fields = Object.entries(object)
  const names = fields.map(([name]) => byteLength(JSON.stringify(name)) + 2)
  const room = maxBytes - 2 - names.reduce((sum, size) => sum + size, 0)
  // Names alone are too many: as many fields as there is room for, as in a list.
  if (room < fields.length)
    return Object.fromEntries(cutList(fields, maxBytes, task) as typeof fields)
  const shares = shareOut(
    fields.map(([, part]) => sizeOf(part)),
    room,
  )
  return Object.fromEntries(
    fields.map(([name, part], index) => [name, cut(part, shares[index]!, task, depth + 1)]),
  )
}
