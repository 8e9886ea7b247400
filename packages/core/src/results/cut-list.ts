import { tokenize } from '../registry/tokenize.ts'
import { jsonSize } from './json-size.ts'

/** So many characters of entries are read for words: more would take longer than a model waits. */
const readUnits = 2 * 1024 * 1024

/**
 * The entries of a list that fit in `maxBytes` of JSON, in their order (R11.2). With a task, those that share most of
 * its words come first to the choice, rare words counting more; without one, or where none shares any, the leading ones.
 */
export function cutList(
  list: readonly unknown[],
  maxBytes: number,
  task: string | undefined,
): readonly unknown[] {
  const order = task === undefined ? list.keys() : byRelevance(list, task)
  const chosen: number[] = []
  let left = maxBytes - 2
  for (const index of order) {
    const size = jsonSize(list[index], left - 1) + 1
    if (size > left) continue
    left -= size
    chosen.push(index)
    if (left < 2) break
  }
  return chosen.toSorted((a, b) => a - b).map((index) => list[index])
}

function byRelevance(list: readonly unknown[], task: string): readonly number[] {
  const wanted = new Set(tokenize(task))
  const found = wordsFound(list, wanted)
  const frequency = new Map<string, number>()
  for (const terms of found.values()) {
    for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  }
  const score = (terms: ReadonlySet<string>): number => {
    let sum = 0
    for (const term of terms) sum += Math.log(1 + list.length / frequency.get(term)!)
    return sum
  }
  const scored = [...found].map(([index, terms]) => ({ index, score: score(terms) }))
  const best = scored.toSorted((a, b) => b.score - a.score || a.index - b.index)
  return [...best.map(({ index }) => index), ...without(list.length, found)]
}

/** The words of the task in each entry that has any. */
function wordsFound(
  list: readonly unknown[],
  wanted: ReadonlySet<string>,
): ReadonlyMap<number, ReadonlySet<string>> {
  const beginnings = [...wanted].map(beginningOf)
  const found = new Map<number, ReadonlySet<string>>()
  let left = readUnits
  for (let index = 0; index < list.length && left > 0; index++) {
    const text = JSON.stringify(list[index]) ?? 'null'
    const lower = text.toLowerCase()
    // Taking words apart takes long: look first whether one can be there.
    if (!beginnings.some((beginning) => lower.includes(beginning))) continue
    left -= text.length
    const terms = new Set(tokenize(text.slice(0, readUnits)).filter((term) => wanted.has(term)))
    if (terms.size > 0) found.set(index, terms)
  }
  return found
}

/** What every word with this stem begins with: stems differ from their words at the end. */
function beginningOf(term: string): string {
  return term.length < 3 ? term : term.slice(0, -1)
}

function without(length: number, found: ReadonlyMap<number, unknown>): readonly number[] {
  const rest: number[] = []
  for (let index = 0; index < length; index++) if (!found.has(index)) rest.push(index)
  return rest
}
