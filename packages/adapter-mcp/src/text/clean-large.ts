import { setImmediate as nextTurn } from 'node:timers/promises'

import { cleanText } from './clean.ts'

/** Characters that are cleaned at once: a few milliseconds of work. */
export const largeText: number = 2 * 1024 * 1024

/** As `cleanText`, a slice at a time, so that a text of any size does not stop the event loop. */
export async function cleanLargeText(text: string): Promise<string> {
  const slices: string[] = []
  let changed = false
  for (let from = 0; from < text.length;) {
    const end = cutAfter(text, from + largeText)
    const slice = text.slice(from, end)
    const cleaned = cleanText(slice)
    changed ||= cleaned !== slice
    slices.push(cleaned)
    from = end
    // oxlint-disable-next-line no-await-in-loop -- to let others have their turn is the point
    await nextTurn()
  }
  return changed ? slices.join('') : text
}

const searched = 1024

/** Behind a line end or a space, where no escape sequence and no joined character is cut. */
function cutAfter(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length
  const start = wanted - searched
  const window = text.slice(start, wanted)
  const found = Math.max(window.lastIndexOf('\n'), window.lastIndexOf(' '))
  if (found !== -1) return start + found + 1
  // A pair of surrogates is one character.
  const high = text.charCodeAt(wanted - 1)
  return high >= 0xd800 && high <= 0xdbff ? wanted + 1 : wanted
}
