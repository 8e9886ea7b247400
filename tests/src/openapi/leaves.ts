import { record } from './pointer.ts'

/** How a tool takes a file. */
const fileKeys = new Set(['content', 'encoding', 'filename', 'mediaType'])

/**
 * A value as forms and addresses can carry it: scalars as texts, lists of one as their item, what is empty left out,
 * files by their content. Two values that are the same there are equal here.
 */
export function leaves(value: unknown): unknown {
  if (value === undefined || value === null) return undefined
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (typeof value !== 'object') return `${value as string | number | boolean}`
  if (Array.isArray(value)) {
    const items = value.map(leaves).filter((item) => item !== undefined)
    return items.length > 1 ? items : items[0]
  }
  const { content, file } = record(value)
  if (typeof file === 'string') return file
  if (typeof content === 'string' && Object.keys(value).every((key) => fileKeys.has(key)))
    return content
  const entries = Object.entries(value)
    .map(([name, item]) => [name, leaves(item)] as const)
    .filter(([, item]) => item !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
