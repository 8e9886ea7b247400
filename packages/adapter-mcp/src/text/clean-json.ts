import { isRecord } from '../record.ts'
import { cleanText } from './clean.ts'

/** Deeper than anything that is meant to be read, and less deep than what the stack takes. */
export const maxDepth: number = 500

/** Every string of a JSON value cleaned, names included. A clean value comes back as the same object. */
export function cleanJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[too deep]'
  if (Array.isArray(value)) {
    const items = value.map((item) => cleanJson(item, depth + 1))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isRecord(value)) return value
  let changed = false
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const entry: [string, unknown] = [cleanText(name), cleanJson(item, depth + 1)]
    changed ||= entry[0] !== name || entry[1] !== item
    return entry
  })
  return changed ? Object.fromEntries(entries) : value
}
