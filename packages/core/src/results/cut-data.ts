import { cutList } from './cut-list.ts'
import { headAndTail } from './cut-text.ts'
import { jsonSize } from './json-size.ts'
import { shareOut } from './share-out.ts'

/** Deeper than this a value is written as text, cut like text. */
const maxDepth = 20
/** What a cut text is longer by than what it keeps: the line that says what is left out. */
const noteBytes = 60
/** The shortest field, `"":0,`: of an object with more fields the rest is not looked at. */
const fieldBytes = 5
/** Cut to less than this, fields would be hardly more than lines that say what is left out. */
const pieceBytes = 2 * noteBytes

/**
 * A JSON value of the same kind in about `maxBytes` (R11.2): texts keep head and tail, lists the entries that fit the
 * task best, and an object shares the room out among its fields, so that a program still finds what it looks for; of very many fields as many stay as there is room for.
 * `size` is that of the value in bytes, or any beyond `maxBytes`.
 */
export function cutData(
  value: unknown,
  size: number,
  maxBytes: number,
  task: string | undefined,
): unknown {
  return cut(value, size, maxBytes, task, 0)
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'string' && (typeof value !== 'object' || value === null)
}

function cut(
  value: unknown,
  size: number,
  maxBytes: number,
  task: string | undefined,
  depth: number,
): unknown {
  if (size <= maxBytes || isScalar(value)) return value
  if (typeof value === 'string') return cutText(value, maxBytes)
  if (depth >= maxDepth) return cutText(JSON.stringify(value), maxBytes)
  return Array.isArray(value)
    ? cutItems(value, maxBytes, task, depth)
    : cutFields(value as object, maxBytes, task, depth)
}

/** Of what is escaped in JSON less is kept, for it takes more room there. */
function cutText(text: string, maxBytes: number): string {
  const room = Math.max(0, maxBytes - noteBytes)
  const kept = headAndTail(text, room).text
  const size = jsonSize(kept, Infinity)
  return size <= maxBytes ? kept : headAndTail(text, Math.floor((room * room) / size)).text
}

function cutItems(
  list: readonly unknown[],
  maxBytes: number,
  task: string | undefined,
  depth: number,
): unknown {
  const kept = cutList(list, maxBytes, task)
  if (kept.length > 0 || list.length === 0) return kept
  // No entry fits by itself: the first is shown as far as it goes.
  const room = maxBytes - 2
  return [cut(list[0], jsonSize(list[0], room), room, task, depth + 1)]
}

function cutFields(
  object: object,
  maxBytes: number,
  task: string | undefined,
  depth: number,
): unknown {
  const names = Object.keys(object).slice(0, Math.ceil(maxBytes / fieldBytes))
  const values = object as Record<string, unknown>
  const taken = names.reduce((sum, name) => sum + jsonSize(name, Infinity) + 2, 2)
  const room = maxBytes - taken
  const piece = Math.min(pieceBytes, maxBytes / 2)
  const sizes = names.map((name) => jsonSize(values[name], Math.max(room, piece)))
  const needed = sizes.reduce((sum, size) => sum + Math.min(size, piece), 0)
  const cutTo = (index: number, bytes: number): readonly [string, unknown] => [
    names[index]!,
    cut(values[names[index]!], sizes[index]!, bytes, task, depth + 1),
  ]
  // They are too many: as many as there is room for, as in a list.
  if (needed > room) {
    const fields = names.map((_, index) => cutTo(index, piece))
    return Object.fromEntries(cutList(fields, maxBytes, task) as typeof fields)
  }
  return Object.fromEntries(shareOut(sizes, room).map((share, index) => cutTo(index, share)))
}
