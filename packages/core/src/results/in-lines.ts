import { writtenJson } from './content.ts'

/** Deeper than this indents would be longer than what they stand before. */
const maxIndents = 12

/** In what is shorter indents are not too many, however deep it is nested. */
const shortLength = 200_000

/** Data as text by lines, for who reads it by lines: text as it is, else JSON with indents where they are not too long. */
export function inLines(data: unknown): string {
  if (typeof data === 'string') return data
  const text = writtenJson(data)
  const isDeep = text.length > shortLength && isDeeper(text, maxIndents)
  return isDeep ? text : JSON.stringify(data, null, 2)
}

const quote = 0x22
const backslash = 0x5c

/** Whether JSON text is nested more than so many levels deep; quicker than walking through the value. */
function isDeeper(json: string, levels: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length && depth <= levels; at++) {
    const unit = json.charCodeAt(at)
    if (unit === quote) inString = !inString
    else if (unit === backslash) at++
    else if (!inString) depth += stepOf(unit)
  }
  return depth > levels
}

/** `{` and `[` go a level down, `}` and `]` up. */
function stepOf(unit: number): -1 | 0 | 1 {
  if (unit === 0x7b || unit === 0x5b) return 1
  return unit === 0x7d || unit === 0x5d ? -1 : 0
}
